package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The sessions of a relay are ended on the server while it runs, so that another may believe that
 * it is alone. Right: nothing rests on the session: no row more than twice, and the relay goes on
 * by itself.
 */
class F44_TwoLeadersTest extends OutboxScene {

  F44_TwoLeadersTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void nothingRestsOnTheSession() throws Exception {
    launch(relay()).awaitReady();
    launch(relay()).awaitReady();
    for (int i = 0; i < 10; i++) {
      addBodies(bodies("row-" + i, 100));
      database.terminateRuntimeSessions();
    }
    awaitOutboxEmpty();
    Map<String, Long> copies = copies();
    assertThat(copies).hasSize(1000);
    assertThat(copies.values()).allMatch(n -> n <= 2);
  }
}
