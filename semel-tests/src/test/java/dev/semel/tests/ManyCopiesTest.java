package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two processes × 8 lanes × 20,000 keys × 3 copies: one effect each, and both have worked. */
class ManyCopiesTest extends WorkerTest {

  private static final int KEYS = 20_000;
  private static final int COPIES = 3;
  private static final int BLOCK = 50;

  ManyCopiesTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneEffectEach() throws IOException, SQLException {
    for (int block = 0; block < KEYS; block += BLOCK) {
      // As far apart as one lane's prefetch, so that copies meet in different lanes.
      for (int copy = 0; copy < COPIES; copy++) {
        // One slow handler in each block, which holds the keys of its batch for a while.
        List<TestVhost.Publication> publications = new ArrayList<>();
        keys("k" + block, BLOCK)
            .forEach(k -> publications.add(publication(k, k.endsWith("-7") ? "sleep 5" : "ok")));
        publishPrepared(publications);
      }
    }
    WorkerProcess one = start(worker().lanes(8).batch(20));
    WorkerProcess two = start(worker().lanes(8).batch(20));
    awaitQueueEmpty(Duration.ofSeconds(120));
    one.stop();
    two.stop();

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(KEYS);
    long inFlight = count(one, "INFLIGHT ") + count(two, "INFLIGHT ");
    assertThat(inFlight).isGreaterThanOrEqualTo(100);
    assertThat(count(one, "ENTERED ")).isGreaterThan(KEYS / 10);
    assertThat(count(two, "ENTERED ")).isGreaterThan(KEYS / 10);
  }

  private static long count(WorkerProcess process, String prefix) {
    return process.lines().stream().filter(l -> l.startsWith(prefix)).count();
  }
}
