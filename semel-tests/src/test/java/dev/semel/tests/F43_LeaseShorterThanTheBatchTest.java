package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TcpProxy;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Two relays with short leases, and a broker that answers slowly. Right: no row more than twice,
 * the same id in each copy, nothing goes back from sent to pending, all have left in the end.
 */
class F43_LeaseShorterThanTheBatchTest extends OutboxScene {

  F43_LeaseShorterThanTheBatchTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void noRowGoesRound() throws Exception {
    try (TcpProxy slow = TcpProxy.plain("127.0.0.1", broker.port())) {
      slow.delay(Duration.ofMillis(200));
      String uri = broker.amqpUri(vhost.name(), slow.port());
      for (int i = 0; i < 2; i++) {
        launch(relay().amqpUri(uri).leaseMillis(1000)).awaitReady();
      }
      List<Outgoing> rows = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        rows.add(toOut("row-" + i).orderingKey(i % 2 == 0 ? "key-" + i % 40 : null).build());
      }
      addAll(rows);
      awaitOutboxEmpty();
    }
    Map<String, Long> copies = copies();
    assertThat(copies).hasSize(200);
    assertThat(copies.values()).allMatch(n -> n <= 2);
    assertThat(arrived().stream().map(Arrived::id).distinct()).hasSize(200);
  }
}
