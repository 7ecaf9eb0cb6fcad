package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * 28 rows of which the fifth names an exchange that does not exist, which closes the channel over
 * all of them. Right: the neighbours arrive, and their copies stay linear: two at most, however
 * often the bad one is tried.
 */
class BadNeighbourTest extends OutboxScene {

  BadNeighbourTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void copiesDoNotMultiply() throws Exception {
    List<Outgoing> rows = new ArrayList<>();
    for (int i = 0; i < 28; i++) {
      rows.add(
          i == 4
              ? Outgoing.to("no-such-exchange", "k").body("bad").build()
              : toOut("row-" + i).build());
    }
    addAll(rows);
    startRelay();
    awaitRow("body = 'bad' AND attempts >= 4");
    awaitPending(1);
    Map<String, Long> copies = copies();
    assertThat(copies.keySet()).hasSize(27);
    assertThat(copies.values()).allMatch(n -> n <= 2);
    // What comes later is not touched by it any more.
    List<String> later = bodies("later", 50);
    addBodies(later);
    awaitPending(1);
    awaitRow("body = 'bad' AND attempts >= 5");
    assertThat(copies().entrySet().stream().filter(e -> e.getKey().startsWith("later")))
        .hasSize(50)
        .allMatch(e -> e.getValue() == 1);
  }
}
