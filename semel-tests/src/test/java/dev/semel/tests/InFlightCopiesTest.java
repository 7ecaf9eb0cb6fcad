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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Copies of a key whose handler is at work. Right: they hold no thread, no connection and no other
 * message up; one effect, whatever becomes of the first run.
 */
class InFlightCopiesTest extends WorkerTest {

  private static final int COPIES = 40;
  private static final int OTHERS = 100;

  InFlightCopiesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  private void publishCopiesAndOthers(String slow) throws IOException {
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < COPIES; i++) {
      all.add(publication("slow", slow));
    }
    keys("other", OTHERS).forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);
  }

  @Test
  void theOthersAreAppliedWhileTheSlowOneRuns() throws IOException, SQLException {
    publishCopiesAndOthers("wait go");
    WorkerProcess worker = start(worker().lanes(2).prefetch(40));
    worker.awaitLine("^ENTERED slow$");
    Await.until("the others to be applied", DEADLINE, () -> ledger.effects() == OTHERS);
    assertThat(new WorkerLines(worker.lines()).of("LEFT", "slow"))
        .as("the slow one runs")
        .isEmpty();
    Await.until(
        "one copy to be parked, which stands for all",
        DEADLINE,
        () ->
            database.queryLong(
                    "SELECT count(*) FROM semel.parked_messages WHERE NOT proved AND message_id = 'slow'")
                == 1);
    Files.createFile(history.resolve("go"));
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(OTHERS + 1);
    // One stands for all that came while it was there.
    assertThat(database.queryLong("SELECT parked FROM semel.books")).isBetween(1L, 5L);
    assertThat(database.queryLong("SELECT parked - duplicates FROM semel.books")).isZero();
  }

  /** The run that the copies waited for dies with its process: one of them takes its place. */
  @Test
  void aCopyTakesThePlaceOfARunThatDied() throws IOException, SQLException {
    publish("slow", "block");
    WorkerProcess first = start(worker().lanes(1).prefetch(1));
    first.awaitLine("^ENTERED slow$");
    publish("slow", "block");
    WorkerProcess second = start(worker().blocksOnce().lanes(1));
    second.awaitLine("^SETTLED slow Parked.*");
    first.kill();
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(1);
  }
}
