package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Step;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A relay is frozen (SIGSTOP) in the middle of what it sends, until its lease is over and another
 * one has sent everything; then it goes on. Right: at most two copies of what it had in hand, one
 * of the rest, and no row comes back.
 */
class FrozenRelayTest extends OutboxScene {

  FrozenRelayTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void itStopsBeforeItSendsMore() throws Exception {
    WorkerProcess frozen = launch(relay().leaseMillis(2000).fault(Step.READ, "frozen", 2));
    frozen.awaitReady();
    addBodies(bodies("first", 10));
    Await.until("the first rows have left", DEADLINE, () -> pending() == 0);
    addBodies(bodies("row", 1000));
    frozen.awaitLine("STRUCK READ");
    frozen.child().stop();
    WorkerProcess other = launch(relay());
    other.awaitReady();
    awaitOutboxEmpty();
    frozen.child().cont();
    addBodies(bodies("after", 100));
    awaitOutboxEmpty();
    frozen.stop();
    Map<String, Long> copies = copies();
    assertThat(copies).hasSize(1110);
    assertThat(copies.entrySet())
        .allMatch(e -> e.getValue() <= (e.getKey().startsWith("row") ? 2 : 1));
    assertThat(pending()).isZero();
  }
}
