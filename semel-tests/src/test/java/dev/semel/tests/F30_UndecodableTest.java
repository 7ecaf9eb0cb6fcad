package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A body that cannot be decoded, between good ones; a message that expires while it is parked.
 * Right: dead at once with its reason, the bytes and headers kept, one run; its neighbours one
 * delivery each.
 */
class F30_UndecodableTest extends WorkerTest {

  F30_UndecodableTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void isDeadAtOnceAndItsNeighboursAreNotTouched() throws IOException, SQLException {
    List<TestVhost.Publication> all = new ArrayList<>();
    keys("a", 20).forEach(k -> all.add(publication(k, "ok")));
    all.add(
        new TestVhost.Publication(
            "",
            queue,
            new AMQP.BasicProperties.Builder()
                .messageId("cut")
                .deliveryMode(2)
                .contentType("application/json")
                .headers(Map.of("tenant", "t-1", "n", 7))
                .build(),
            "permanent\n{\"amount\": 1".getBytes(StandardCharsets.UTF_8)));
    keys("b", 20).forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);
    WorkerProcess worker = start(worker().lanes(1));
    worker.awaitLine("^DIED cut permanent failure: cannot be decoded$");
    awaitQueueEmpty();

    WorkerLines lines = new WorkerLines(worker.lines());
    assertThat(lines.of("FAILED", "cut")).hasSize(1);
    assertThat(lines.starting("SETTLED ")).hasSize(41).noneMatch(l -> l.contains("redelivered"));
    assertThat(
            textRows(
                "SELECT concat_ws('|', state, reason, attempts, error_class, convert_from(body,"
                    + " 'UTF8'), properties ->> 'content-type', headers::text)"
                    + " FROM semel.parked_messages"))
        .hasSize(1)
        .allMatch(
            row ->
                row.startsWith(
                        "dead|permanent failure: cannot be decoded|1|dev.semel.PermanentFailure|"
                            + "permanent\n{\"amount\": 1|application/json|")
                    && row.contains("\"n\":{\"t\":\"integer\",\"v\":\"7\"}"));
    judge().assertGood();
    assertThat(ledger.effects()).isEqualTo(40);
  }

  /** It fails once, and is over before its second run. */
  @Test
  void whatExpiresIsDead() throws IOException, SQLException {
    // There before the message is, which would else expire in the queue while a JVM starts.
    WorkerProcess worker = start(worker().pauseMillis(4_500).capMillis(4_500));
    publishPrepared(
        List.of(
            new TestVhost.Publication(
                "",
                queue,
                new AMQP.BasicProperties.Builder()
                    .messageId("short")
                    .deliveryMode(2)
                    .expiration("3000")
                    .build(),
                "fail-once".getBytes(StandardCharsets.UTF_8))));
    worker.awaitLine("^DIED short expired before it could run$");
    assertThat(new WorkerLines(worker.lines()).of("ENTERED", "short")).hasSize(1);
    judge().assertGood();
    assertThat(ledger.effects()).isZero();
  }
}
