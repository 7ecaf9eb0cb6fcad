package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.ParkedMessage;
import dev.semel.Parking.Result;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages whose key is processed, by other bytes. Right: a plain replay does nothing and says so;
 * one with {@code again} is one more effect for each order, under a key of its own, and no more
 * than one however often it is ordered before it runs.
 */
class ParkingAgainTest extends ParkingScene {

  ParkingAgainTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aProcessedKeyRunsAgainOnlyIfThatIsSaid() throws Exception {
    publish("k", "first");
    runAll();
    ParkedMessage second = conflict("k", "second");
    ParkedMessage third = conflict("k", "third");
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertBooks(2, 0, 0, 0, 0, 2);

    List<String> before = allRows();
    assertThat(replay(second)).isEqualTo(Result.ALREADY_APPLIED);
    assertThat(replay(second, AS_NEW)).isEqualTo(Result.ALREADY_APPLIED);
    assertThat(allRows()).as("nothing is touched").isEqualTo(before);
    runAll();
    assertThat(runs).hasSize(1);

    assertThat(replay(second, AGAIN)).isEqualTo(Result.REPLAYED);
    assertThat(row(second.id()).generation()).isEqualTo(1);
    // Ordered twice before it has run: still one more effect.
    assertThat(replay(second, AGAIN)).isEqualTo(Result.REPLAYED);
    assertThat(row(second.id()).generation()).isEqualTo(1);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(2);
    assertThat(effectsOf("first")).isEqualTo(1);
    assertThat(effectsOf("second")).isEqualTo(1);
    assertBooks(2, 1, 0, 0, 0, 1);

    assertThat(replay(third)).isEqualTo(Result.ALREADY_APPLIED);
    assertThat(replay(third, AGAIN)).isEqualTo(Result.REPLAYED);
    assertThat(row(third.id()).generation()).isEqualTo(2);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(3);
    assertThat(effectsOf("third")).isEqualTo(1);
    assertBooks(2, 2, 0, 0, 0, 0);

    assertThat(textRows("SELECT message_id FROM semel.processed_messages ORDER BY message_id DESC"))
        .containsExactly("k", "\u001fgeneration 2:k", "\u001fgeneration 1:k");
    String key = "|ticket 17|consumer payments, key \u001fgeneration ";
    String was = ":k, was dead (conflict: same id, other bytes), body sha256 ";
    List<String> audit = audit();
    assertThat(audit).hasSize(3);
    assertThat(audit.get(0))
        .isEqualTo(
            "ann|parked replay|" + second.id() + key + 1 + was + sha256("second".getBytes()));
    assertThat(audit.get(2))
        .isEqualTo("ann|parked replay|" + third.id() + key + 2 + was + sha256("third".getBytes()));

    // The producer's own copies are what they were.
    publish("k", "first");
    runAll();
    assertThat(runs).hasSize(3);
    assertThat(ledger.parked()).isZero();
  }

  /** The same message twice in the table, ordered again twice: not two effects of one order. */
  @Test
  void aCopyOfWhatRunsAgainIsNoSecondOrder() throws Exception {
    publish("k", "first");
    runAll();
    ParkedMessage second = conflict("k", "second");
    assertThat(replay(second, AGAIN)).isEqualTo(Result.REPLAYED);
    // Its row has another key now, so the next copy of it from the broker is a conflict anew.
    dev.semel.Inbox inbox = semel.inbox(CONSUMER);
    assertThat(
            inbox.process(
                dev.semel.Message.builder().id("k").body("second").build(), Ledger::apply))
        .isEqualTo(new dev.semel.Outcome.Conflict());
    ParkedMessage copy = awaitRow("message_id = 'k'");
    assertThat(replay(copy, AGAIN)).isEqualTo(Result.EQUAL_ROW);
    runAll();
    assertThat(effectsOf("second")).isEqualTo(1);
    assertThat(ledger.effects("k")).isEqualTo(2);
    assertThat(discard(copy)).isEqualTo(Result.DISCARDED);
    assertBooks(2, 1, 0, 1, 0, 0);
  }

  /**
   * What fails as a generation can be replayed as that generation, and dies as often as it must.
   */
  @Test
  void aGenerationThatFailsStaysThatGeneration() throws Exception {
    publish("k", "first");
    runAll();
    ParkedMessage second = conflict("k", "second");
    assertThat(replay(second, AGAIN)).isEqualTo(Result.REPLAYED);
    broken = true;
    startWorker();
    awaitRow("state = 'dead' AND reason = 'handler failed' AND generation = 1");
    stopWorker();
    broken = false;
    assertThat(ledger.effects("k")).isEqualTo(1);

    assertThat(replay(second)).isEqualTo(Result.REPLAYED);
    assertThat(row(second.id()).generation()).isEqualTo(1);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(2);
    assertThat(ledger.keys()).isEqualTo(2);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  /** First the one, then the other of two messages with one key: one effect, then a conflict. */
  @Test
  void ofTwoRowsWithOneKeyOneIsApplied() throws Exception {
    ParkedMessage first = dead("k", "first");
    ParkedMessage second = conflict("k", "second");
    assertThat(replay(first)).isEqualTo(Result.REPLAYED);
    assertThat(replay(second)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(ledger.keys()).isEqualTo(1);
    assertBooks(2, 1, 0, 0, 0, 1);
    ParkedMessage left = awaitRow("state = 'dead'");
    assertThat(left.reason()).startsWith("conflict");
    assertThat(replay(left)).isEqualTo(Result.ALREADY_APPLIED);
    assertThat(replay(left, AGAIN)).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects("k")).isEqualTo(2);
    assertThat(effectsOf("first")).isEqualTo(1);
    assertThat(effectsOf("second")).isEqualTo(1);
    assertBooks(2, 2, 0, 0, 0, 0);
  }
}
