package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outbox;
import dev.semel.Outgoing;
import dev.semel.Selection;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One row over the broker's limit for headers among a hundred of ten ordering keys. Right: all that
 * are not behind it in its own order leave once, it is parked with a reason, and discarding it lets
 * its key go on in order.
 */
class F42_RowThatNeverLeavesTest extends OutboxScene {

  F42_RowThatNeverLeavesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneBadRowStopsOnlyItsKey() throws Exception {
    for (int i = 0; i < 100; i++) {
      Outgoing.Builder row = toOut("row-" + i).orderingKey("key-" + i % 10);
      add(i == 33 ? row.header("too large for a frame", "x".repeat(60_000)).header("b", "y") : row);
    }
    database.executeAsOwner(
        "UPDATE semel.outbox SET headers = json_build_object('"
            + "n".repeat(300)
            + "', 1)"
            + " WHERE body = 'row-33'");
    startRelay();
    awaitRow("state = 'parked' AND body = 'row-33'");
    // 43, 53, 63, 73, 83 and 93 are behind it.
    Await.until("the others have left", DEADLINE, () -> pending() == 7);
    assertThat(arrived()).hasSize(93);
    Outbox.Row parked = semel().outbox().list(Selection.any().state("parked")).get(0);
    assertThat(parked.lastError()).isNotBlank();
    assertThat(semel().outbox().discard(Selection.of(List.of(parked.id())), ORDER).get(0).result())
        .isEqualTo(Outbox.Result.DISCARDED);
    awaitOutboxEmpty();
    for (int key = 0; key < 10; key++) {
      List<String> expected = new ArrayList<>();
      for (int i = key; i < 100; i += 10) {
        if (i != 33) {
          expected.add("row-" + i);
        }
      }
      String last = String.valueOf(key);
      assertThat(arrivedBodies().stream().filter(b -> b.endsWith(last))).isEqualTo(expected);
    }
    assertThat(text("SELECT verb || ' ' || reason FROM semel.audit"))
        .isEqualTo("outbox discard ticket 17");
  }
}
