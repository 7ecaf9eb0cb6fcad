package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Many rows of many ordering keys through three relay processes, of which five are killed with
 * signal 9. Right: every row arrives, the first copies of each key are in the order of the commits,
 * and copies have equal ids.
 */
class ManyRelaysTest extends OutboxScene {

  ManyRelaysTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  private static final int ROWS = Boolean.getBoolean("semel.long") ? 50_000 : 6_000;
  private static final int KEYS = ROWS / 100;
  private static final int KILLS = 5;

  @Test
  void orderIsKeptThroughKills() throws Exception {
    for (int round = 0; round < 100; round++) {
      List<Outgoing> rows = new ArrayList<>();
      for (int key = 0; key < KEYS; key++) {
        rows.add(toOut(key + ":" + round).orderingKey("key-" + key).build());
      }
      addAll(rows);
    }
    List<WorkerProcess> relays = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      relays.add(launch(relay()));
    }
    for (int kill = 1; kill <= KILLS; kill++) {
      long bound = ROWS - (long) ROWS * kill / (KILLS + 2);
      Await.until("a share has left", DEADLINE, () -> pending() <= bound);
      WorkerProcess victim = relays.remove(0);
      victim.awaitLine("RELAYED .*");
      assertThat(pending()).as("rows left at the kill").isPositive();
      victim.kill();
      relays.add(launch(relay()));
    }
    awaitOutboxEmpty();
    Map<String, String> ids = new HashMap<>();
    Map<String, List<Integer>> order = new HashMap<>();
    for (Arrived each : arrived()) {
      String known = ids.putIfAbsent(each.body(), each.id());
      if (known == null) {
        String[] parts = each.body().split(":");
        order.computeIfAbsent(parts[0], k -> new ArrayList<>()).add(Integer.parseInt(parts[1]));
      } else {
        assertThat(each.id()).isEqualTo(known);
      }
    }
    assertThat(ids).hasSize(ROWS);
    assertThat(ids.values()).doesNotHaveDuplicates();
    assertThat(order).hasSize(KEYS);
    order.forEach((key, rounds) -> assertThat(rounds).as("key " + key).isSorted().hasSize(100));
  }
}
