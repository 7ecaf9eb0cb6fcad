package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.Selection;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Rows for an exchange that does not exist, among others. Right: they stay with the error and
 * growing pauses, the others leave once, and they leave when the exchange is there.
 */
class F37_MissingExchangeTest extends OutboxScene {

  F37_MissingExchangeTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void rowsWaitForTheirExchange() throws Exception {
    String exchange = vhost.unique("exchange");
    addBodies(bodies("before", 20));
    List<UUID> waiting = new ArrayList<>();
    for (String body : bodies("waits", 3)) {
      waiting.add(add(Outgoing.to(exchange, "key").body(body)));
    }
    addBodies(bodies("after", 20));
    startRelay();
    Await.until("only those that wait are left", DEADLINE, () -> pending() == 3);
    awaitRow("attempts >= 3 AND last_error LIKE '%404%NOT_FOUND%' AND state = 'pending'");
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.outbox WHERE due_at > created_at + interval '1 s'"))
        .isEqualTo(3);
    Map<String, Long> copies = copies();
    assertThat(copies.keySet()).hasSize(40);
    // One more copy of those that were on the channel that the missing exchange closed.
    assertThat(copies.values()).allMatch(n -> n <= 2);

    onChannel(
        c -> {
          c.exchangeDeclare(exchange, "direct", true);
          c.queueBind(out, exchange, "key");
        });
    semel().outbox().retry(Selection.of(waiting), ORDER);
    awaitOutboxEmpty();
    assertThat(arrivedBodies().stream().filter(b -> b.startsWith("waits")))
        .containsExactlyInAnyOrder("waits-0", "waits-1", "waits-2");
  }
}
