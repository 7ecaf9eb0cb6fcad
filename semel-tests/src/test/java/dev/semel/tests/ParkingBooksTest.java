package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Parking.Result;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * The books of parked messages, each account with one message in it, consumer by consumer. Right:
 * they close, and they do not if somebody takes a row away behind Semel's back.
 */
class ParkingBooksTest extends ParkingScene {

  ParkingBooksTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void eachAccountIsWhatTheTestCounts() throws Exception {
    assertThat(parking.books()).isEmpty();
    // A copy that is parked because its key is in flight, and turns out to be a copy.
    semel
        .inbox(CONSUMER)
        .process(
            Message.builder().id("copy").body("x").build(),
            (m, tx) -> {
              Ledger.apply(m, tx);
              publish("copy", "x");
              startWorker();
              awaitRow("reason LIKE 'in flight%'");
              stopWorker();
            });
    assertBooks(1, 0, 0, 0, 1, 0);
    runAll();
    assertBooks(1, 0, 1, 0, 0, 0);
    assertThat(ledger.effects("copy")).isEqualTo(1);

    ParkedMessage applied = dead("applied", "x");
    ParkedMessage given = dead("discarded", "x");
    ParkedMessage waiting = dead("waiting", "x");
    dead("dead", "x");
    assertBooks(5, 0, 1, 0, 0, 4);
    assertThat(replay(applied)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(discard(given)).isEqualTo(Result.DISCARDED);
    assertThat(replay(waiting)).isEqualTo(Result.REPLAYED);
    assertBooks(5, 1, 1, 1, 1, 1);
    assertThat(ledger.effects()).isEqualTo(2);
    assertThat(audit()).hasSize(3);
  }

  @Test
  void eachConsumerHasItsOwn() throws Exception {
    dead("k", "x");
    Message noId = Message.builder().body("x").build();
    assertThat(semel.inbox("another").process(noId, Ledger::apply))
        .isInstanceOf(Outcome.Parked.class);
    assertThat(parking.books())
        .containsExactly(
            new Parking.Books("another", 1, 0, 0, 0, 0, 1, 0),
            new Parking.Books(CONSUMER, 1, 0, 0, 0, 0, 1, 0));
    assertThat(database.queryLong("SELECT count(*) FROM semel.books WHERE off_by <> 0")).isZero();
  }

  @Test
  void aRowThatVanishesIsMissed() throws Exception {
    dead("k", "x");
    database.executeAsOwner("DELETE FROM semel.parked_messages");
    assertThat(parking.books()).containsExactly(new Parking.Books(CONSUMER, 1, 0, 0, 0, 0, 0, 1));
    assertThat(database.queryLong("SELECT off_by FROM semel.books")).isEqualTo(1);
  }
}
