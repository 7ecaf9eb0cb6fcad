package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.checker.Recorder;
import dev.semel.checker.Verdict;
import dev.semel.spi.Step;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages with no id, an empty one, one of spaces, whose handler would fail; then a good one.
 * Right: each is parked at once as a row of its own with reason "no id", the handler is never
 * entered for it, no id is made up, and the good one is applied within 2 s.
 */
class F16_MissingIdTest extends WorkerTest {

  private static final Duration NEXT = Duration.ofSeconds(2);

  F16_MissingIdTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void isParkedAtOnceAndTheNextIsApplied() throws IOException, SQLException {
    WorkerProcess worker = start(worker());
    publishWithIds(null, "", "   ", null, "\t");
    publish("good", "ok");
    long published = System.nanoTime();
    worker.awaitLine("SETTLED good Applied.*");
    assertThat(Duration.ofNanos(System.nanoTime() - published)).isLessThan(NEXT);
    awaitQueueEmpty();
    worker.stop();
    List<String> lines = worker.lines();

    Verdict verdict = assertOnceEach();
    assertThat(verdict.balance().parked()).isEqualTo(5);
    assertThat(lines.stream().filter(l -> l.startsWith("ENTERED"))).containsExactly("ENTERED good");
    assertThat(lines).noneMatch(l -> l.startsWith("FAILED"));
    assertThat(rows("message_id IS NULL AND state = 'dead' AND body = 'fail'::bytea")).isEqualTo(5);
    assertThat(ledger.parked("no id: message-id is missing")).isEqualTo(2);
    assertThat(ledger.parked("no id: message-id is blank")).isEqualTo(3);
    assertThat(ledger.keys()).isEqualTo(1);
  }

  /** The worker dies after the row was committed: the second delivery is a second row. */
  @Test
  void aSecondDeliveryIsNobodysCopy() throws IOException, SQLException {
    WorkerProcess struck = start(worker().fault(Step.COMMITTED, "halt", 1));
    publishWithIds(new String[] {null});
    assertThat(struck.waitForExit()).isEqualTo(137);
    assertThat(ledger.parked()).isEqualTo(1);
    WorkerProcess next = start(worker());
    next.awaitLine("SETTLED null Parked.*");
    awaitQueueEmpty();
    assertThat(rows("message_id IS NULL AND copies = 0 AND body = 'fail'::bytea")).isEqualTo(2);
    assertThat(ledger.effects() + ledger.keys()).isZero();
  }

  /** Written down under "null", the name that rows without a key have for the judge. */
  private void publishWithIds(String... ids) throws IOException {
    List<TestVhost.Publication> all =
        Arrays.stream(ids)
            .map(
                id ->
                    new TestVhost.Publication(
                        "",
                        queue,
                        new AMQP.BasicProperties.Builder().messageId(id).deliveryMode(2).build(),
                        "fail".getBytes(StandardCharsets.UTF_8)))
            .toList();
    vhost.publishAll(all);
    try (Recorder recorder = Recorder.open(history, "producer-without-ids")) {
      all.forEach(each -> recorder.published("null"));
    }
  }

  private long rows(String where) throws SQLException {
    return database.queryLong("SELECT count(*) FROM semel.parked_messages WHERE " + where);
  }
}
