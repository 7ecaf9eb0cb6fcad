package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Step;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL restarts twice while rows come and leave, and an Error is thrown in the relay's loops.
 * Right: they go on, every row arrives, and no more than one question a second is asked meanwhile.
 */
class F48_LoopSurvivesTest extends OutboxScene {

  F48_LoopSurvivesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theLoopsGoOnAfterAnError() throws Exception {
    Set<Step> thrown = ConcurrentHashMap.newKeySet();
    startRelay(
        settings(),
        step -> {
          if (step.compareTo(Step.LEASED) >= 0 && thrown.add(step)) {
            throw new AssertionError("injected at " + step);
          }
        });
    for (int i = 0; i < 20; i++) {
      addBodies(bodies("row-" + i, 10));
    }
    awaitOutboxEmpty();
    assertThat(thrown).contains(Step.LEASED, Step.READ, Step.SENT, Step.CONFIRMED, Step.MARKED);
    Map<String, Long> copies = copies();
    assertThat(copies).hasSize(200);
    assertThat(copies.values()).allMatch(n -> n <= 3);
  }
}
