package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Event;
import dev.semel.checker.Verdict;
import dev.semel.spi.Step;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Workers that are killed with signal 9 at a state, and servers that restart under load. */
class KilledWorkersTest extends WorkerTest {

  private static final int KILLS = 10;
  private static final int MESSAGES_EACH = 1_000;

  KilledWorkersTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  /** Killed while the handler runs: nothing was committed, the redelivery does the work. */
  @Test
  void killedInsideAHandler() throws IOException, SQLException {
    WorkerProcess victim = start(worker().lanes(1).prefetch(1));
    publish("k", "block");
    victim.awaitLine("ENTERED k");
    victim.kill();
    // The same message would block its next worker too: the order is taken out of its way.
    WorkerProcess next = start(worker().lanes(1).prefetch(1).blocksOnce());
    awaitQueueEmpty();
    assertThat(next.isAlive()).isTrue();
    assertOnceEach();
    assertThat(ledger.effects("k")).isEqualTo(1);
  }

  /** Killed between commit and acknowledgement: the redelivery is cut off by the key. */
  @Test
  void killedBetweenCommitAndAcknowledgement() throws IOException, SQLException {
    WorkerProcess victim = start(worker().lanes(1).fault(Step.COMMITTED, "block", 1));
    publish("k", "ok");
    victim.awaitLine("STRUCK COMMITTED");
    assertThat(ledger.effects("k")).isEqualTo(1);
    victim.kill();
    WorkerProcess next = start(worker().lanes(1));
    next.awaitLine("SETTLED k Duplicate.*");
    awaitQueueEmpty();
    assertOnceEach();
  }

  /** One at a time: a SIGKILL gives exactly one redelivery. */
  @Test
  void oneAtATimeGivesOneRedelivery() throws IOException, SQLException {
    publishAll(keys("k", 5), "ok");
    WorkerProcess victim = start(worker().oneAtATime().fault(Step.COMMITTED, "block", 1));
    victim.awaitLine("STRUCK COMMITTED");
    victim.kill();
    WorkerProcess next = start(worker().oneAtATime());
    awaitQueueEmpty();
    assertThat(next.lines().stream().filter(l -> l.contains(" Duplicate"))).hasSize(1);
    assertThat(next.log()).anyMatch(l -> l.contains("dev.semel.steps") && l.contains("VERIFIED"));
    assertOnceEach();
  }

  /** Ten kills under load, and both servers restart once. */
  @Test
  void tenKillsAndBothServersRestartUnderLoad(PostgresServer postgres)
      throws IOException, SQLException {
    WorkerProcess steady = start(worker().lanes(1).batch(20));
    for (int kill = 1; kill <= KILLS; kill++) {
      WorkerProcess victim = start(worker().lanes(2).batch(20));
      publishAll(keys("k" + kill, MESSAGES_EACH), "ok");
      victim.awaitLine("ENTERED k" + kill + "-.*");
      victim.kill();
      if (kill == 3) {
        publishAll(keys("p", MESSAGES_EACH), "ok");
        postgres.restart();
      } else if (kill == 6) {
        publishAll(keys("b", MESSAGES_EACH), "ok");
        broker.crash();
        broker.startAgain();
        steady.awaitLine("BACK CONSUMER.*");
      }
    }
    awaitQueueEmpty(Duration.ofSeconds(90));
    assertThat(steady.isAlive()).isTrue();
    assertThat(steady.lines()).anyMatch(l -> l.startsWith("AWAY"));
    Verdict verdict = assertOnceEach();
    assertThat(verdict.count(Event.ENTERED)).isGreaterThanOrEqualTo(KILLS * MESSAGES_EACH);
  }
}
