package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Order;
import dev.semel.ParkedMessage;
import dev.semel.Parking.Done;
import dev.semel.Parking.Replay;
import dev.semel.Parking.Result;
import dev.semel.Selection;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What would happen is asked of one row of each kind. Right: not a row, not a number of a sequence
 * is other than before, and the real thing does what was foretold.
 */
class ParkingDryRunTest extends ParkingScene {

  private static final Order DRY = new Order("ann", "just looking", true);

  ParkingDryRunTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aDryRunTellsAndChangesNothing() throws Exception {
    dead("dead", "x");
    publish("applied", "first");
    publishPrepared(List.of(publication(null, "no id")));
    database.executeAsOwner(
        "UPDATE semel.slots SET dropped_before = clock_timestamp() - interval '1 day'");
    publishPrepared(List.of(stamped("old", "x", Instant.now().minusSeconds(200_000))));
    runAll();
    conflict("applied", "second");
    publish("dead", "other");
    runAll();

    Replay id = new Replay(false, false, "given");
    Replay all = new Replay(true, true, "given");
    List<String> before = allRows();
    List<List<Done>> foretold = new ArrayList<>();
    for (Replay how : List.of(Replay.PLAIN, AGAIN, AS_NEW, id, all)) {
      foretold.add(parking.replay(Selection.any(), how, DRY));
      assertThat(allRows()).as("after a dry run of " + how).isEqualTo(before);
    }
    List<Done> discards = parking.discard(Selection.any(), DRY);
    assertThat(allRows()).isEqualTo(before);
    assertThat(foretold.get(0))
        .extracting(Done::messageKey, Done::result)
        .containsExactlyInAnyOrder(
            tuple("dead", Result.REPLAYED),
            tuple("dead", Result.REPLAYED),
            tuple("applied", Result.ALREADY_APPLIED),
            tuple(null, Result.NEEDS_ID),
            tuple("old", Result.NEEDS_AS_NEW));
    assertThat(foretold.get(4)).hasSize(5).allMatch(d -> d.result() == Result.REPLAYED);
    assertThat(discards).hasSize(5).allMatch(d -> d.result() == Result.DISCARDED);
    runAll();
    assertThat(ledger.effects()).as("nothing has run").isEqualTo(1);
    assertBooks(5, 0, 0, 0, 0, 5);

    assertThat(parking.replay(Selection.any(), Replay.PLAIN, ORDER)).isEqualTo(foretold.get(0));
    runAll();
    assertThat(ledger.effects("dead")).isEqualTo(1);
    assertBooks(5, 1, 0, 0, 0, 4);
    // Of the two with one key it may be either.
    List<UUID> gone = new ArrayList<>(foretold.get(0).stream().map(Done::id).toList());
    gone.removeAll(parking.list(Selection.any()).stream().map(ParkedMessage::id).toList());
    assertThat(parking.replay(Selection.of(gone), all, DRY))
        .extracting(Done::result)
        .containsExactly(Result.GONE);
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }
}
