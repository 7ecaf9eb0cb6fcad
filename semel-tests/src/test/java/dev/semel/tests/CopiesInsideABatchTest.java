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

/** Batches that hold several messages of one key, and are cut short. */
class CopiesInsideABatchTest extends WorkerTest {

  CopiesInsideABatchTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  /**
   * SIGTERM while the first message of a batch runs; behind it a copy, and another message under
   * one key. Right: what has not run goes back with its copies; nothing is judged against it.
   */
  @Test
  void aStopTakesTheCopiesBackWithTheirFirst() throws IOException, SQLException {
    WorkerProcess worker =
        start(worker().lanes(1).prefetch(20).batch(20).lockTimeoutMillis(30_000));
    warmUp(worker);
    whileLanesWait(
        1,
        () -> {
          publish("running", "wait stopping");
          publish("twice", "ok");
          publish("twice", "ok");
          publish("two-things", "ok");
          publish("two-things", "say other");
          Await.until("all to be prefetched", DEADLINE, () -> vhost.readyCount(queue) == 0);
        });
    worker.awaitLine("^ENTERED running$");
    worker.child().terminate();
    worker.awaitLine("^STOPPING$");
    Files.createFile(history.resolve("stopping"));
    assertThat(worker.waitForExit()).isEqualTo(143);

    assertThat(worker.lines()).contains("SETTLED running Applied[] attempt=1 batch=5");
    assertThat(ledger.effects()).isEqualTo(WARM + 2);
    assertThat(ledger.parked()).isZero();
    assertThat(vhost.readyCount(queue)).isEqualTo(4);

    start(worker().lanes(1));
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects("twice")).isEqualTo(1);
    assertThat(ledger.effects("two-things")).isEqualTo(1);
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
  }

  /** A handler leaves the thread marked as interrupted. Right: the lane goes on. */
  @Test
  void anInterruptLeftByAHandlerEndsNoLane() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).batch(1).pool(2));
    publish("marks", "interrupt");
    worker.awaitLine("^SETTLED marks Applied");
    publishAll(keys("after", 5), "ok");
    awaitQueueEmpty();
    assertThat(worker.lines()).noneMatch(l -> l.startsWith("AWAY"));
    assertOnceEach();
  }
}
