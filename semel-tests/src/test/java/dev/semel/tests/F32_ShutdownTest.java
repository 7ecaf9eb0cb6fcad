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
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SIGTERM with 20 prefetched and 4 running; and with a handler that outlasts the grace time. Right:
 * no handler is entered after the signal, the 4 finish and are acknowledged, 16 go back; the long
 * one is rolled back; the worker ends in time; one effect each after a restart.
 */
class F32_ShutdownTest extends WorkerTest {

  private static final int PREFETCH = 20;
  private static final int LANES = 4;
  private static final int ENDED_BY_SIGTERM = 143;
  private static final Duration GRACE = Duration.ofSeconds(5);

  F32_ShutdownTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void whatRunsFinishesAndTheRestGoesBack() throws IOException, SQLException {
    List<String> keys = keys("k", PREFETCH);
    // The lanes are held until all are here, so that each has one running and four behind it in its
    // batch.
    WorkerProcess worker =
        start(
            worker()
                .lanes(LANES)
                .prefetch(LANES + PREFETCH)
                .batch(PREFETCH / LANES)
                .graceMillis(GRACE.toMillis())
                .lockTimeoutMillis(30_000));
    warmUp(worker);
    whileLanesWait(
        LANES,
        () -> {
          publishAll(keys, "wait go");
          Await.until("all to be prefetched", DEADLINE, () -> vhost.readyCount(queue) == 0);
        });
    Await.until("4 handlers to run", DEADLINE, () -> entered(worker).size() == LANES);

    long signalled = System.nanoTime();
    worker.child().terminate();
    worker.awaitLine("^STOPPING$");
    // The consumers are cancelled after the lanes were told, so from here on nobody may begin.
    Await.until("no consumer", DEADLINE, () -> broker.consumerCount(vhost.name(), queue) == 0);
    Files.createFile(history.resolve("go"));
    assertThat(worker.waitForExit()).isEqualTo(ENDED_BY_SIGTERM);
    assertThat(System.nanoTime() - signalled).isLessThan(GRACE.toNanos());

    assertThat(entered(worker)).hasSize(LANES);
    WorkerLines lines = new WorkerLines(worker.lines());
    assertThat(lines.all().stream().filter(l -> l.startsWith("SETTLED k-")))
        .hasSize(LANES)
        .allMatch(l -> l.contains(" Applied") && l.endsWith(" batch=" + PREFETCH / LANES));
    assertThat(lines.starting("SETTLED ")).hasSize(WARM + 2 * LANES);
    assertThat(lines.starting("FAILED ")).isEmpty();
    assertThat(lines.all()).contains("STOPPED");
    assertThat(ledger.effects()).isEqualTo(WARM + 2 * LANES);
    Await.until("16 to be back", DEADLINE, () -> vhost.readyCount(queue) == PREFETCH - LANES);
    assertThat(broker.messageCount(vhost.name(), queue)).isEqualTo(PREFETCH - LANES);

    WorkerProcess next = start(worker().lanes(LANES));
    awaitQueueEmpty();
    WorkerLines second = new WorkerLines(next.lines());
    assertOnceEach();
    assertThat(second.starting("ENTERED ")).hasSize(PREFETCH - LANES);
    assertThat(second.starting("SETTLED "))
        .allMatch(l -> l.contains(" Applied") && l.contains(" attempt=1 "));
  }

  /** It listens to the interrupt, or is deaf to it. */
  @ParameterizedTest
  @ValueSource(strings = {"wait", "deaf"})
  void whatOutlastsTheGraceIsRolledBack(String order) throws IOException, SQLException {
    publish("long", order + " go");
    WorkerProcess worker = start(worker().lanes(1).graceMillis(500));
    worker.awaitLine("^ENTERED long$");
    long signalled = System.nanoTime();
    worker.child().terminate();
    assertThat(worker.waitForExit()).isEqualTo(ENDED_BY_SIGTERM);
    long took = System.nanoTime() - signalled;
    assertThat(ledger.effects()).isZero();
    WorkerLines lines = new WorkerLines(worker.lines());

    Files.createFile(history.resolve("go"));
    WorkerProcess next = start(worker().lanes(1));
    awaitQueueEmpty();
    WorkerLines second = new WorkerLines(next.lines());
    assertOnceEach();
    assertThat(second.of("ENTERED", "long")).hasSize(1);
    assertThat(lines.starting("SETTLED ")).isEmpty();
    // The grace time, and what an aborted handler gets to come to its senses.
    assertThat(took).isLessThan(Duration.ofSeconds(4).toNanos());
  }

  private static List<String> entered(WorkerProcess worker) {
    return worker.lines().stream().filter(l -> l.startsWith("ENTERED k-")).toList();
  }
}
