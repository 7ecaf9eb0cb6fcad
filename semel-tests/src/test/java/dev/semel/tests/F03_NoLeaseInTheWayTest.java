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
import org.junit.jupiter.api.Test;

/**
 * A process dies inside a handler; and a parked message runs for longer than its lease, beside
 * other workers. Right: the first is applied as soon as the broker delivers it again, nothing of
 * the dead run is in its way; the second is entered once while it lives.
 */
class F03_NoLeaseInTheWayTest extends WorkerTest {

  F03_NoLeaseInTheWayTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void nothingOfADeadRunIsInTheWay() throws IOException, SQLException {
    publish("k", "block");
    WorkerProcess killed = start(worker().lanes(1));
    killed.awaitLine("^ENTERED k$");
    WorkerProcess next = start(worker().lanes(1).blocksOnce());
    killed.kill();
    long died = System.nanoTime();
    next.awaitLine("^SETTLED k Applied.*");
    assertThat(System.nanoTime() - died)
        .as("no waiting for a time-out")
        .isLessThan(Duration.ofSeconds(5).toNanos());
    awaitQueueEmpty();
    assertThat(database.queryLong("SELECT count(*) FROM semel.started WHERE keys <> '{}'"))
        .isZero();
    assertOnceEach();
  }

  @Test
  void aRunThatOutlastsItsLeaseIsNotRunBeside() throws IOException, SQLException {
    publish("k", "fail-once\nwait go");
    WorkerProcess first = start(worker().lanes(2));
    WorkerProcess second = start(worker().lanes(2));
    String leased = "SELECT count(*) FROM semel.parked_messages WHERE lease_token IS NOT NULL";
    Await.until("the second run", DEADLINE, () -> entered(first) + entered(second) == 2);
    // Both look every second; the lease is over, the run is not.
    Await.until(
        "the lease to run out",
        DEADLINE,
        () ->
            database.queryLong(leased + " AND lease_until < clock_timestamp() - interval '3 s'")
                == 1);
    assertThat(entered(first) + entered(second)).as("entered").isEqualTo(2);
    Files.createFile(history.resolve("go"));
    awaitQueueEmpty();
    assertThat(entered(first) + entered(second)).as("entered").isEqualTo(2);
    assertOnceEach();
  }

  private static int entered(WorkerProcess worker) {
    return new WorkerLines(worker.lines()).of("ENTERED", "k").size();
  }
}
