package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Copy A is in its handler and will fail; copy B of the same key arrives meanwhile at another
 * worker. Right: one effect; B is not acknowledged as a duplicate of a transaction that then rolls
 * back.
 */
class F02_LoserMustNotTrustTheWinnerTest extends WorkerTest {

  F02_LoserMustNotTrustTheWinnerTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theCopyRunsWhenTheFirstHasFailed() throws IOException, SQLException {
    WorkerProcess first = start(worker().lanes(1).prefetch(1).batch(1));
    publish("k", "wait go\nfail-once");
    first.awaitLine("ENTERED k");
    WorkerProcess second = start(worker().lanes(1).prefetch(1).batch(1));
    publish("k", "wait go\nfail-once");
    // The copy is there; a twin may have settled it already.
    second.awaitLine("(ENTERED|INFLIGHT|SETTLED) k");
    Files.createFile(history.resolve("go"));
    awaitQueueEmpty();
    second.awaitLine("SETTLED k.*");
    assertThat(first.lines()).anyMatch(l -> l.startsWith("FAILED k"));
    assertOnceEach();
    assertThat(ledger.effects("k")).isEqualTo(1);
  }
}
