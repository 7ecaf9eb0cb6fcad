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
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two processes × 8 lanes × 20,000 keys × 3 copies: one effect each, and both have worked. */
class ManyCopiesTest extends WorkerTest {

  private static final int KEYS = 20_000;
  private static final int COPIES = 3;
  private static final int SLOW = 100;
  private static final int BLOCK = 995;

  ManyCopiesTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneEffectEach() throws IOException, SQLException {
    WorkerProcess one = start(worker().lanes(8).batch(20));
    WorkerProcess two = start(worker().lanes(8).batch(20));
    // Slow ones, copy behind copy: the broker deals them to different lanes at the same moment.
    publishAll(copies(keys("slow", SLOW)), "sleep 20");
    for (int block = 0; block < KEYS - SLOW; block += BLOCK) {
      publishAll(copies(keys("k" + block, BLOCK)), "ok");
    }
    awaitQueueEmpty(Duration.ofSeconds(120));
    one.stop();
    two.stop();

    // Before the judge closes the processes and their output with them.
    long inFlight = count(one, "INFLIGHT ") + count(two, "INFLIGHT ");
    long byOne = count(one, "ENTERED ");
    long byTwo = count(two, "ENTERED ");
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(KEYS);
    assertThat(inFlight).isGreaterThanOrEqualTo(100);
    assertThat(byOne).isGreaterThan(KEYS / 10);
    assertThat(byTwo).isGreaterThan(KEYS / 10);
  }

  private static List<String> copies(List<String> keys) {
    List<String> copies = new ArrayList<>();
    keys.forEach(key -> copies.addAll(Collections.nCopies(COPIES, key)));
    return copies;
  }

  private static long count(WorkerProcess process, String prefix) {
    return process.lines().stream().filter(l -> l.startsWith(prefix)).count();
  }
}
