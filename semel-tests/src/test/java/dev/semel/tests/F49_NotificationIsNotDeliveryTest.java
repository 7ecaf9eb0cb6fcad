package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Relays of other processes hear by NOTIFY; the sessions that listen are ended, again and again.
 * Right: every row leaves once, within a look or two; hearing only shortens it.
 */
class F49_NotificationIsNotDeliveryTest extends OutboxScene {

  F49_NotificationIsNotDeliveryTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void heardAcrossProcessesAndNotNeeded() throws Exception {
    // Looks so rarely that only hearing explains a message that leaves at once.
    startRelay(
        settings().relayPoll(Duration.ofSeconds(30)).relayLease(Duration.ofSeconds(10)), s -> {});
    Await.until(
        "all shards are held",
        DEADLINE,
        () ->
            database.queryLong("SELECT count(*) FROM semel.relay_shards WHERE relay IS NULL") == 0);
    Await.until(
        "it listens",
        DEADLINE,
        () ->
            database.queryLong(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LISTEN%' OR query = 'COMMIT'")
                > 0);
    addBodies(List.of("first"));
    try (Connection any = dataSource().getConnection();
        Statement s = any.createStatement()) {
      Await.until(
          "heard",
          Duration.ofSeconds(20),
          () -> {
            s.execute("NOTIFY semel_outbox");
            return arrived().size() == 1;
          });
    }
    closeRelays();
    startRelay();
    for (int i = 0; i < 5; i++) {
      assertThat(database.terminateRuntimeSessions()).isPositive();
      add(toOut("row-" + i));
      awaitOutboxEmpty();
    }
    assertThat(arrived()).hasSize(6);
  }
}
