package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.ParkedMessage;
import dev.semel.Parking.Result;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A message that comes again after its key was dropped, with the time at which it was made. Right:
 * it is parked as too old, and runs only if an operator says that it is new. What was proved new
 * when it was parked stays replayable, however old it grows.
 */
class F22_TooOldTest extends ParkingScene {

  private static final Instant OLD = Instant.now().minus(1, ChronoUnit.HOURS);

  F22_TooOldTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aMessageWhoseKeyWasDroppedHasNoSecondEffect() throws Exception {
    publishPrepared(List.of(stamped("k", "x", OLD)));
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    publishPrepared(List.of(stamped("k", "x", OLD)));
    runAll();
    assertThat(runs).as("while the key is known").hasSize(1);

    dropKeys();
    publishPrepared(List.of(stamped("k", "x", OLD), stamped("k", "x", OLD)));
    runAll();
    assertThat(runs).hasSize(1);
    assertThat(ledger.effects("k")).isEqualTo(1);
    ParkedMessage row = awaitRow("state = 'dead' AND reason LIKE 'too old%' AND NOT proved");
    assertBooks(1, 0, 0, 0, 0, 1);

    List<String> before = allRows();
    assertThat(replay(row)).isEqualTo(Result.NEEDS_AS_NEW);
    assertThat(replay(row, AGAIN)).as("its key is not processed").isEqualTo(Result.NEEDS_AS_NEW);
    assertThat(allRows()).isEqualTo(before);
    runAll();
    assertThat(ledger.effects("k")).as("never a silent second effect").isEqualTo(1);

    assertThat(replay(row, AS_NEW)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).as("one more, and somebody has said so").isEqualTo(2);
    assertThat(audit())
        .singleElement()
        .asString()
        .contains("key k, as new, was dead (too old", "ticket 17");
    assertBooks(1, 1, 0, 0, 0, 0);

    publishPrepared(List.of(stamped("k", "x", OLD)));
    runAll();
    assertThat(runs).as("its key is known again").hasSize(2);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  @Test
  void anHonestDeadLetterStaysReplayable() throws Exception {
    broken = true;
    publishPrepared(List.of(stamped("k", "x", OLD)));
    startWorker();
    ParkedMessage row = awaitRow("state = 'dead' AND proved");
    stopWorker();
    broken = false;
    dropKeys();
    dropKeys();

    assertThat(replay(row)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(runs).hasSize(2);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  /** Proved when it was parked; but then another message was applied under its key. */
  @Test
  void aDeadLetterWhoseKeyWasUsedIsProvedNoMore() throws Exception {
    broken = true;
    publishPrepared(List.of(stamped("k", "first", OLD)));
    startWorker();
    ParkedMessage first = awaitRow("state = 'dead' AND proved");
    stopWorker();
    broken = false;
    ParkedMessage second = conflict("k", "second");
    assertThat(replay(second)).isEqualTo(Result.REPLAYED);
    assertThat(replay(first)).isEqualTo(Result.REPLAYED);
    String next = "UPDATE semel.parked_messages SET next_attempt_at = clock_timestamp()";
    database.executeAsOwner(next + " + interval '1 hour' WHERE id = '" + first.id() + "'");
    startWorker();
    awaitTrue("the second is applied", () -> effectsOf("second") == 1);
    database.executeAsOwner(next);
    awaitRow("id = '" + first.id() + "' AND reason LIKE 'conflict%'");
    stopWorker();

    dropKeys();
    assertThat(replay(first)).isEqualTo(Result.NEEDS_AS_NEW);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(replay(first, AS_NEW)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(2);
    assertBooks(2, 2, 0, 0, 0, 0);
  }

  /** The same, without having been run beside it: it stayed dead all the time. */
  @Test
  void aDeadLetterUnderWhichAnotherRanIsProvedNoMore() throws Exception {
    broken = true;
    publishPrepared(List.of(stamped("k", "first", OLD)));
    startWorker();
    ParkedMessage first = awaitRow("state = 'dead' AND proved");
    stopWorker();
    broken = false;
    ParkedMessage second = conflict("k", "second");
    assertThat(replay(second)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(replay(first)).isEqualTo(Result.ALREADY_APPLIED);

    dropKeys();
    assertThat(replay(first)).isEqualTo(Result.NEEDS_AS_NEW);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertBooks(2, 1, 0, 0, 0, 1);
  }

  /** Parked while its key was in flight, so nobody has looked whether it is new. */
  @Test
  void whatWasParkedInFlightIsJudgedWhenItRuns() throws Exception {
    Message message = Message.builder().id("k").timestamp(OLD).body("x").build();
    semel
        .inbox(CONSUMER)
        .process(
            message,
            (m, tx) -> {
              Ledger.apply(m, tx);
              publishPrepared(List.of(stamped("k", "other", OLD)));
              startWorker();
              awaitRow("message_id = 'k' AND reason LIKE 'in flight%' AND NOT proved");
              stopWorker();
            });
    assertThat(ledger.effects("k")).isEqualTo(1);
    dropKeys();
    startWorker();
    ParkedMessage row = awaitRow("state = 'dead'");
    stopWorker();
    assertThat(row.reason()).startsWith("too old");
    assertThat(runs).isEmpty();
    assertThat(replay(row)).isEqualTo(Result.NEEDS_AS_NEW);
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertBooks(1, 0, 0, 0, 0, 1);
    assertThat(semel.inbox(CONSUMER).process(message, Ledger::apply))
        .isNotEqualTo(new Outcome.Applied());
  }
}
