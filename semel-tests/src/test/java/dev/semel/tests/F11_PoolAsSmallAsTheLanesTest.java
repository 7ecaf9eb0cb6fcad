package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The pool has as many connections as there are lanes: 1,000 messages, busy for longer than a
 * heartbeat; then handlers that take a second connection each. Right: one effect each; no wait of
 * ours runs into the pool's time-out; and with the second connections clean failures and recovery.
 */
class F11_PoolAsSmallAsTheLanesTest extends WorkerTest {

  private static final int LANES = 4;
  private static final String TIMED_OUT = "request timed out";

  F11_PoolAsSmallAsTheLanesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneConnectionALaneIsEnough() throws IOException, SQLException {
    publishAll(keys("k", 1000), "sleep 32");
    WorkerProcess worker = start(small());
    awaitQueueEmpty();
    // While all lanes were at work: a heartbeat was due, and given.
    long beats =
        database.queryLong("SELECT count(*) FROM semel.workers WHERE seen_at > started_at");
    Seen.awaitSettled(1000, worker);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(1000);
    assertThat(beats).isEqualTo(1);
    assertThat(Seen.count("FAILED .*", worker)).isZero();
    assertThat(Seen.count("AWAY .*", worker)).isZero();
    assertThat(worker.log()).noneMatch(l -> l.contains(TIMED_OUT));
  }

  @Test
  void aSecondConnectionFailsCleanlyAndRecovers() throws IOException, SQLException {
    WorkerProcess worker = start(small().batch(1).prefetch(LANES));
    List<String> nested = keys("nested", LANES);
    publishAll(nested, "wait go\nown SELECT 1");
    // One on each lane, all of them before their second connection.
    nested.forEach(k -> worker.awaitLine("ENTERED " + k + "$"));
    publishAll(keys("fine", 100), "ok");
    Files.createFile(history.resolve("go"));
    worker.awaitLine("FAILED nested-.*" + TIMED_OUT);
    awaitQueueEmpty(Duration.ofSeconds(30));
    Seen.awaitSettled(100 + LANES, worker);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(100 + LANES);
    assertThat(ledger.parked()).isZero();
    assertThat(Seen.count("FAILED fine-.*", worker)).isZero();
    assertThat(Seen.count("AWAY .*", worker)).isZero();
    assertThat(Seen.count("SETTLED .* Duplicate.*", worker)).isZero();
  }

  private WorkerSpec small() {
    return worker().lanes(LANES).pool(LANES);
  }
}
