package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Event;
import dev.semel.checker.Verdict;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Workers are killed, one inside a handler and two under load; what was published, was in flight at
 * each kill, was entered and has an effect is written down. Right: published = effects, and the
 * entries without an effect are no more than what was in flight.
 */
class F66_BooksOfAKillTest extends WorkerTest {

  private static final int MESSAGES = 300;
  private static final int PREFETCH = 20;

  F66_BooksOfAKillTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theBooksClose() throws IOException, SQLException {
    Random random = Seed.random("theBooksClose");
    publish("stuck", "wait go");
    publishAll(keys("k", MESSAGES), "sleep 2");
    int inFlight = killedAt("stuck");
    Files.createFile(history.resolve("go"));
    inFlight += killedAt("k-" + (MESSAGES / 2 + random.nextInt(10)));
    inFlight += killedAt("k-" + (MESSAGES * 3 / 4 + random.nextInt(10)));
    start(worker().lanes(2).prefetch(PREFETCH));
    awaitQueueEmpty();

    Verdict verdict = assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(MESSAGES + 1);
    assertThat(ledger.distinct()).isEqualTo(MESSAGES + 1);
    assertThat(ledger.parked()).isZero();
    assertThat(verdict.balance().queued()).isZero();
    // At least the stuck one was entered in vain.
    assertThat(verdict.count(Event.ENTERED) - ledger.effects())
        .isEqualTo(verdict.entriesWithoutEffect())
        .isBetween(1L, (long) inFlight);
    assertThat(inFlight).isLessThanOrEqualTo(3 * PREFETCH);
  }

  /** Kills a worker that has entered this message; gives what the broker held as unacknowledged. */
  private int killedAt(String key) throws IOException {
    WorkerProcess victim = start(worker().lanes(2).prefetch(PREFETCH).batch(5));
    victim.awaitLine("^ENTERED " + key + "$");
    victim.child().stop();
    int inFlight = broker.messageCount(vhost.name(), queue) - vhost.readyCount(queue);
    victim.kill();
    return inFlight;
  }
}
