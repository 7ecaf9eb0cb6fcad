package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Prefetch 20, and the first of 20 messages makes the broker close the channel. Right: no handler
 * is entered for a delivery whose channel is closed, whether it waited in a buffer or in the same
 * batch; one effect each.
 */
class F24_DeadChannelTest extends WorkerTest {

  private static final int PREFETCH = 20;

  F24_DeadChannelTest(TestDatabase database) throws SQLException {
    super(database, OwnBroker.vhost(), OwnBroker.node());
  }

  @ParameterizedTest(name = "batch {0}")
  @ValueSource(ints = {1, PREFETCH})
  void nothingRunsOnAClosedChannel(int batch) throws IOException, SQLException {
    int seen = broker.log().length();
    WorkerProcess worker =
        start(worker().lanes(1).prefetch(PREFETCH + 1).batch(batch).lockTimeoutMillis(30_000));
    warmUp(worker);
    List<String> others = keys("k", PREFETCH - 1);
    whileLanesWait(
        1,
        () -> {
          publish("slow", "wait closed");
          publishAll(others, "ok");
          Await.until("all to be prefetched", DEADLINE, () -> vhost.readyCount(queue) == 0);
        });
    worker.awaitLine("^ENTERED slow$");
    worker.awaitLine("^AWAY CONSUMER ");
    worker.awaitLine("^BACK CONSUMER ");
    Files.createFile(history.resolve("closed"));
    awaitQueueEmpty();
    others.forEach(k -> worker.awaitLine("^SETTLED " + k + " "));

    WorkerLines lines = new WorkerLines(worker.lines());
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(WARM + 1 + PREFETCH);
    assertThat(broker.log().substring(seen)).contains("Timeout value used: 3000 ms");
    assertThat(lines.of("ENTERED", "slow")).hasSize(1);
    assertThat(lines.of("SETTLED", "slow").get(0)).contains(" Applied").endsWith("batch=" + batch);
    assertThat(others)
        .allSatisfy(
            k -> {
              assertThat(lines.of("ENTERED", k)).hasSize(1);
              // Run in its second delivery, the live one: run in its first it would be a duplicate.
              assertThat(lines.of("SETTLED", k))
                  .singleElement()
                  .asString()
                  .contains(" Applied")
                  .endsWith(" redelivered");
            });
  }
}
