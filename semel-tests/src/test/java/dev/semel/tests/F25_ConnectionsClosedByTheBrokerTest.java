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
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The broker closes all connections while handlers run; the copies arrive on new channels at lanes
 * that are free. Right: one effect each, no 406 in the broker's log, and a copy waits for the end
 * of the first run.
 */
class F25_ConnectionsClosedByTheBrokerTest extends WorkerTest {

  private static final int ROUNDS = 3;
  private static final int LANES = 8;
  private static final int BUSY = 4;

  F25_ConnectionsClosedByTheBrokerTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theCopyWaitsForTheFirstRun() throws IOException, SQLException {
    int seen = broker.log().length();
    WorkerProcess worker = start(worker().lanes(LANES).prefetch(LANES));
    int closed = 0;
    for (int round = 0; round < ROUNDS; round++) {
      // The first lanes are taken by these, so that the last ones are busy when the line is cut and
      // the copies find the first ones free.
      publishAll(keys("warm-" + round, LANES - BUSY), "ok");
      awaitQueueEmpty();
      List<String> keys = keys("r" + round, BUSY);
      publishAll(keys, "wait go-" + round);
      keys.forEach(k -> worker.awaitLine("^ENTERED " + k + "$"));
      closed += broker.closeConnections(vhost.name());
      Await.until("a copy of a running message", DEADLINE, () -> aCopyIsHere(worker, keys));
      Files.createFile(history.resolve("go-" + round));
      awaitQueueEmpty();
    }

    WorkerLines lines = new WorkerLines(worker.lines());
    assertOnceEach();
    assertThat(closed).isGreaterThanOrEqualTo(ROUNDS);
    assertThat(lines.starting("AWAY CONSUMER ")).hasSize(ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(keys("r" + round, BUSY))
          .allSatisfy(k -> assertThat(lines.mostAtOnce(k)).isEqualTo(1));
    }
    // How the broker writes a 406; the bare number is part of many a time.
    assertThat(broker.log().substring(seen)).doesNotContainIgnoringCase("precondition_failed");
  }

  /** Looked at and put aside, or (which would be wrong) entered beside the first run. */
  private static boolean aCopyIsHere(WorkerProcess worker, List<String> keys) {
    WorkerLines lines = new WorkerLines(worker.lines());
    return keys.stream()
        .anyMatch(k -> !lines.of("INFLIGHT", k).isEmpty() || lines.of("ENTERED", k).size() > 1);
  }
}
