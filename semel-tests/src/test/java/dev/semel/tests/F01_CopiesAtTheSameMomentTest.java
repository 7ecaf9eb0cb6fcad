package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Two copies of one message are delivered to two workers, or to two lanes of one, while the first
 * is still in its handler. Right: one effect, the handler entered once, one duplicate, nothing
 * left.
 */
class F01_CopiesAtTheSameMomentTest extends WorkerTest {

  F01_CopiesAtTheSameMomentTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void twoProcesses() throws IOException, SQLException {
    WorkerProcess one = start(worker().lanes(1).prefetch(1).batch(1));
    publish("k", "wait go");
    one.awaitLine("ENTERED k");
    WorkerProcess two = start(worker().lanes(1).prefetch(1).batch(1));
    publish("k", "wait go");
    two.awaitLine("(ENTERED|INFLIGHT|SETTLED) k");
    letGo(one, two);
  }

  @Test
  void twoLanes() throws IOException, SQLException {
    WorkerProcess one = start(worker().lanes(2).prefetch(2).batch(1));
    publish("k", "wait go");
    one.awaitLine("ENTERED k");
    publish("k", "wait go");
    Await.until(
        "the second copy is delivered too",
        DEADLINE,
        () -> Seen.count("(ENTERED|INFLIGHT|SETTLED) k.*", one) > 1);
    letGo(one);
  }

  /** The first is in its handler, the second has been delivered. */
  private void letGo(WorkerProcess... workers) throws IOException, SQLException {
    assertThat(ledger.effects("k")).isZero();
    Files.createFile(history.resolve("go"));
    awaitQueueEmpty();
    Seen.awaitSettled(2, workers);
    assertOnceEach();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(ledger.parked()).isZero();
    assertThat(Seen.count("ENTERED k", workers)).isEqualTo(1);
    assertThat(Seen.count("INFLIGHT k", workers)).isPositive();
    assertThat(Seen.count("SETTLED k Applied.*", workers)).isEqualTo(1);
    assertThat(Seen.count("SETTLED k Duplicate.*", workers)).isEqualTo(1);
  }
}
