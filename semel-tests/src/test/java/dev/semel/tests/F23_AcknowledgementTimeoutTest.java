package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A handler outlasts the broker's acknowledgement timeout once; the broker closes its channel.
 * Right: one effect each, all consumers are back within 5 s, and one loss of a consumer is told.
 */
class F23_AcknowledgementTimeoutTest extends WorkerTest {

  private static final int CONSUMERS = 2;

  F23_AcknowledgementTimeoutTest(TestDatabase database) throws SQLException {
    super(database, OwnBroker.vhost(), OwnBroker.node());
  }

  @Test
  void theConsumerComesBack() throws IOException, SQLException {
    int seen = broker.log().length();
    WorkerProcess worker = start(worker().lanes(CONSUMERS).prefetch(20));
    assertThat(broker.consumerCount(vhost.name(), queue)).isEqualTo(CONSUMERS);
    publish("slow", "wait go");
    worker.awaitLine("^AWAY CONSUMER " + CONSUMER + " ");
    Await.until(
        "all consumers back",
        Duration.ofSeconds(5),
        () -> broker.consumerCount(vhost.name(), queue) == CONSUMERS);
    worker.awaitLine("^BACK CONSUMER " + CONSUMER + "$");

    // The other lane works while the slow handler goes on.
    publishAll(keys("first", 10), "ok");
    Files.createFile(history.resolve("go"));
    publishAll(keys("second", 10), "ok");
    awaitQueueEmpty();

    WorkerLines lines = new WorkerLines(worker.lines());
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(21);
    assertThat(lines.of("ENTERED", "slow")).hasSize(1);
    assertThat(lines.starting("AWAY CONSUMER ")).hasSize(1);
    assertThat(broker.log().substring(seen)).contains("Timeout value used: 3000 ms");
  }
}
