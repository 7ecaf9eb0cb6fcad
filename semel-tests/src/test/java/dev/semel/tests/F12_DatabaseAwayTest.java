package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The database stops while a message is in its handler, and 20 more arrive; it starts again. Right:
 * one effect each by the same worker, no failure counted, no message taken for a duplicate.
 */
class F12_DatabaseAwayTest extends WorkerTest {

  private static final int ARRIVING = 20;

  private static PostgresServer server;

  F12_DatabaseAwayTest(TestVhost vhost, RabbitNode broker) throws IOException, SQLException {
    super(onItsOwnServer(), vhost, broker);
  }

  private static TestDatabase onItsOwnServer() throws IOException, SQLException {
    server = PostgresServer.start();
    return server.createDatabase("f12");
  }

  @Override
  @AfterEach
  void end() throws IOException {
    try {
      super.end();
    } finally {
      server.close();
    }
  }

  @Test
  void nobodyIsBlamed() throws IOException, SQLException {
    WorkerProcess worker = start(worker());
    publish("before", "ok");
    worker.awaitLine("SETTLED before");
    publish("in-hand", "wait go");
    worker.awaitLine("ENTERED in-hand");

    server.stop();
    publishAll(keys("k", ARRIVING), "ok");
    Files.createFile(history.resolve("go"));
    String seen = worker.awaitLine("AWAY DATABASE|FAILED|SETTLED k-19");
    assertThat(server.isRunning()).isFalse();
    server.startAgain();
    awaitQueueEmpty();

    assertThat(worker.isAlive()).isTrue();
    if (seen.startsWith("AWAY")) {
      worker.awaitLine("BACK DATABASE");
    }
    Seen.awaitSettled(ARRIVING + 2, worker);
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(ARRIVING + 2);
    assertThat(ledger.parked()).isZero();
    assertThat(Seen.count("FAILED .*", worker)).isZero();
    assertThat(Seen.count("AWAY DATABASE .*", worker)).isEqualTo(1);
    assertThat(Seen.count("BACK DATABASE .*", worker)).isEqualTo(1);
    assertThat(Seen.count("SETTLED .* Duplicate.*", worker)).isZero();
    assertThat(Seen.count("SETTLED k-.* Applied.* attempt=1 .*", worker)).isEqualTo(ARRIVING);
  }
}
