package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A quorum queue that drops a message after three returns, without a dead-letter exchange. Right:
 * neither workers that are killed again and again nor rolling restarts cost a healthy message.
 */
class F29_DeliveryLimitTest extends WorkerTest {

  F29_DeliveryLimitTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Override
  Map<String, Object> queueArguments() {
    return Map.of("x-queue-type", "quorum", "x-delivery-limit", 3);
  }

  /** Killed in the handler of the first message, five times. */
  @Test
  void killsDoNotUseUpTheLimit() throws IOException, SQLException {
    List<String> keys = keys("k", 5);
    publish(keys.get(0), "wait go");
    publishAll(keys.subList(1, 5), "ok");
    for (int i = 0; i < 5; i++) {
      // From the third time on it runs before the worker subscribes.
      WorkerProcess worker =
          launch(worker().lanes(1).prefetch(5).batch(5).deaths(10).pauseMillis(50));
      worker.awaitLine("^ENTERED k-0$");
      worker.kill();
    }
    java.nio.file.Files.createFile(history.resolve("go"));
    start(worker().lanes(1).deaths(10));
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(5);
  }

  /** A slow message is cut off by five orderly stops, and then gets the time that it needs. */
  @Test
  void rollingRestartsDoNotKillASlowMessage() throws IOException, SQLException {
    publish("slow", "wait go");
    publishAll(keys("k", 9), "wait go");
    for (int i = 0; i < 5; i++) {
      WorkerProcess worker = start(worker().lanes(2).prefetch(10).graceMillis(200));
      Await.until(
          "a run to cut off",
          DEADLINE,
          () -> !new WorkerLines(worker.lines()).starting("ENTERED ").isEmpty());
      assertThat(worker.stop()).isEqualTo(143);
    }
    assertThat(ledger.effects()).isZero();
    assertThat(parked("dead")).isZero();
    assertThat(vhost.readyCount(queue) + parked("waiting")).isEqualTo(10);
    java.nio.file.Files.createFile(history.resolve("go"));
    start(worker());
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(10);
  }
}
