package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Step;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A relay on another host is killed with signal 9 while a thousand rows are on their way. Right:
 * the next one takes its shards when the lease is over, or when it is seen to have ended, and each
 * row arrives.
 */
class F45_RelayKilledTest extends OutboxScene {

  F45_RelayKilledTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theNextRelayTakesOver() throws Exception {
    WorkerProcess victim = launch(relay().fault(Step.SENT, "block", 300));
    victim.awaitReady();
    addBodies(bodies("row", 1000));
    victim.awaitLine("STRUCK SENT");
    victim.kill();
    // Its process cannot be looked for from another machine: only the lease says that it is over.
    database.executeAsOwner("UPDATE semel.workers SET host = 'elsewhere', process = NULL");
    long killed = System.nanoTime();
    startRelay();
    awaitOutboxEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(20));
    Map<String, Long> copies = copies();
    assertThat(copies).containsOnlyKeys(bodies("row", 1000));
    assertThat(copies.values()).allMatch(n -> n <= 2);
  }
}
