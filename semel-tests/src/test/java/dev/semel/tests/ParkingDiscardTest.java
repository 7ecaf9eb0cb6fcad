package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.ParkedMessage;
import dev.semel.Parking.Result;
import dev.semel.RetryPolicy;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Messages that an operator gives up. Right: the key counts as processed, unless it may still be
 * that of another message; the bytes are gone, and the audit knows their hash; no effect, ever.
 */
class ParkingDiscardTest extends ParkingScene {

  ParkingDiscardTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aCopyOfADiscardedMessageIsADuplicate() throws Exception {
    ParkedMessage row = dead("k", "secret body");
    assertThat(runs).hasSize(1);
    assertThat(discard(row)).isEqualTo(Result.DISCARDED);
    assertThat(ledger.parked()).isZero();
    assertThat(parking.message(row.id())).isEmpty();
    assertThat(audit())
        .containsExactly(
            "ann|parked discard|"
                + row.id()
                + "|ticket 17|consumer payments, key k, was dead (handler failed), body sha256 "
                + sha256("secret body".getBytes()));
    assertBooks(1, 0, 0, 1, 0, 0);
    assertThat(discard(row)).isEqualTo(Result.GONE);
    assertThat(replay(row)).isEqualTo(Result.GONE);

    publish("k", "secret body");
    runAll();
    assertQueueEmpty();
    assertThat(runs).hasSize(1);
    assertThat(ledger.effects()).isZero();
    assertThat(ledger.parked()).isZero();
    // Other bytes are still told from a copy.
    publish("k", "other");
    runAll();
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
    assertThat(ledger.effects()).isZero();
    assertBooks(2, 0, 0, 1, 0, 1);
  }

  @Test
  void aWaitingMessageNeverRunsOnceItIsDiscarded() throws Exception {
    broken = true;
    startWorker(
        consumer()
            .retry(
                RetryPolicy.builder()
                    .attempts(9)
                    .firstPause(Duration.ofSeconds(2))
                    .jitter(0)
                    .build()));
    publish("k", "x");
    ParkedMessage waiting = awaitRow("state = 'waiting'");
    assertThat(discard(waiting)).isEqualTo(Result.DISCARDED);
    publish("behind", "y");
    awaitRow("message_id = 'behind' AND attempts = 2 AND lease_token IS NULL");
    assertThat(runs).filteredOn(m -> "k".equals(m.id())).hasSize(1);
    stopWorker();
    assertBooks(2, 0, 0, 1, 1, 0);
  }

  /** The key is that of the message that was applied. */
  @Test
  void aConflictClaimsNothing() throws Exception {
    publish("k", "first");
    runAll();
    ParkedMessage conflict = conflict("k", "second");
    assertThat(discard(conflict)).isEqualTo(Result.DISCARDED);
    assertThat(ledger.keys()).isEqualTo(1);
    publish("k", "first");
    runAll();
    assertThat(ledger.parked()).as("a copy of the first is a copy").isZero();
    publish("k", "second");
    runAll();
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertBooks(2, 0, 0, 1, 0, 1);
  }

  @Test
  void oneOfTwoRowsWithOneKeyLeavesTheOtherItsKey() throws Exception {
    ParkedMessage first = dead("k", "first");
    ParkedMessage second = conflict("k", "second");
    assertThat(discard(second)).isEqualTo(Result.DISCARDED);
    assertThat(ledger.keys()).isZero();
    assertThat(replay(first)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(effectsOf("first")).isEqualTo(1);
    assertThat(ledger.effects()).isEqualTo(1);
    assertBooks(2, 1, 0, 1, 0, 0);
  }

  @Test
  void theLastRowOfAKeyTakesItAlong() throws Exception {
    ParkedMessage first = dead("k", "first");
    ParkedMessage second = conflict("k", "second");
    assertThat(discard(first)).isEqualTo(Result.DISCARDED);
    assertThat(ledger.keys()).isZero();
    assertThat(discard(second)).isEqualTo(Result.DISCARDED);
    assertThat(ledger.keys()).isEqualTo(1);
    publish("k", "second");
    runAll();
    assertThat(ledger.effects()).isZero();
    assertThat(ledger.parked()).isZero();
    assertBooks(2, 0, 0, 2, 0, 0);
  }

  /** Its key stays free for nobody, whatever the age fence says of it. */
  @Test
  void whatIsTooOldCanBeDiscarded() throws Exception {
    database.executeAsOwner("UPDATE semel.slots SET dropped_before = clock_timestamp()");
    publishPrepared(
        java.util.List.of(stamped("k", "x", java.time.Instant.now().minusSeconds(3600))));
    runAll();
    ParkedMessage row = awaitRow("reason LIKE 'too old%'");
    assertThat(discard(row)).isEqualTo(Result.DISCARDED);
    publish("k", "x");
    runAll();
    assertThat(runs).isEmpty();
    assertThat(ledger.effects()).isZero();
    assertBooks(1, 0, 0, 1, 0, 0);
  }
}
