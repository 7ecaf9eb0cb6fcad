package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The queue is deleted under a running worker, one message in its handler, and declared again
 * later; once with a crash of the broker in between. Right: 10 effects of 10 new messages within 10
 * s, no readiness while there is no consumer, and the running message has its one effect.
 */
class F26_QueueDeletedTest extends WorkerTest {

  private static final int CONSUMERS = 2;
  private static final int MESSAGES = 10;
  private static final Duration WITHIN = Duration.ofSeconds(10);

  F26_QueueDeletedTest(TestDatabase database) throws SQLException {
    super(database, OwnBroker.vhost(), OwnBroker.node());
  }

  /** Brings the queue back. */
  @FunctionalInterface
  private interface Declare {
    void again() throws IOException;
  }

  @Test
  void theQueueComesBack() throws IOException, SQLException {
    deletedAndDeclared(() -> vhost.declareQueue(queue));
  }

  @Test
  void theBrokerCrashesWhileTheQueueComesBack() throws IOException, SQLException {
    deletedAndDeclared(
        () -> {
          CompletableFuture<Void> declaring =
              CompletableFuture.runAsync(
                  () -> {
                    try {
                      vhost.declareQueue(queue);
                    } catch (IOException e) {
                      // The crash was faster.
                      assertThat(broker.isRunning()).isFalse();
                    }
                  });
          broker.crash();
          declaring.join();
          broker.startAgain();
          vhost.declareQueue(queue);
        });
  }

  private void deletedAndDeclared(Declare declare) throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(CONSUMERS));
    publish("running", "wait go");
    worker.awaitLine("^ENTERED running$");
    vhost.deleteQueue(queue);
    worker.awaitLine("^AWAY CONSUMER " + CONSUMER + " ");
    worker.awaitLine("^HEALTH down .*consumer '" + CONSUMER + "'");
    Files.createFile(history.resolve("go"));
    worker.awaitLine("^SETTLED running Applied");
    WorkerLines without = new WorkerLines(worker.lines()).after("AWAY CONSUMER ");

    declare.again();
    long declared = System.nanoTime();
    publishAll(keys("k", MESSAGES), "ok");
    Await.until("the effects of the new messages", WITHIN, () -> ledger.effects() == MESSAGES + 1);
    assertThat(System.nanoTime() - declared).isLessThan(WITHIN.toNanos());
    worker.awaitLine("^BACK CONSUMER " + CONSUMER + "$");
    Await.until(
        "all consumers", WITHIN, () -> broker.consumerCount(vhost.name(), queue) == CONSUMERS);
    awaitQueueEmpty();
    Await.until(
        "readiness with the consumer back",
        WITHIN,
        () -> {
          // There was none while it was away; told by another thread, so perhaps before BACK.
          WorkerLines since = new WorkerLines(worker.lines()).after("AWAY CONSUMER ");
          return !since.starting("HEALTH up ").isEmpty();
        });

    WorkerLines lines = new WorkerLines(worker.lines());
    assertOnceEach();
    assertThat(without.starting("HEALTH up ")).isEmpty();
    assertThat(lines.starting("AWAY CONSUMER ")).hasSize(1);
    assertThat(lines.of("ENTERED", "running")).hasSize(1);
  }
}
