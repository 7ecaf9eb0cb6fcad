package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Event;
import dev.semel.checker.Verdict;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One batch of 50: id 7 was applied before, id 20 is in it twice. Right: 48 new effects, one for
 * each of the 49 ids, two duplicates, and these two are the ones.
 */
class F09_DuplicatesInsideABatchTest extends WorkerTest {

  private static final int IDS = 49;

  /** Before the batch: those that warm the worker up, id 7, and the one that holds the lane. */
  private static final int ALONE = WARM + 2;

  F09_DuplicatesInsideABatchTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneByOneHandler() throws IOException, SQLException {
    blamesTheRightMember(worker());
  }

  @Test
  void batchHandler() throws IOException, SQLException {
    blamesTheRightMember(worker().batchHandler());
  }

  private void blamesTheRightMember(WorkerSpec spec) throws IOException, SQLException {
    WorkerProcess worker = start(spec.lanes(1).batch(50).prefetch(100).lockTimeoutMillis(30_000));
    warmUp(worker);
    publish("id-7", "ok");
    worker.awaitLine("SETTLED id-7");
    whileLanesWait(
        1,
        () -> {
          publishAll(batch(), "ok");
          Await.until("all delivered", DEADLINE, () -> vhost.readyCount(queue) == 0);
        });
    awaitQueueEmpty();
    Seen.awaitSettled(50 + ALONE, worker);

    Verdict verdict = assertOnceEach();
    assertThat(verdict.count(Event.ENTERED)).isEqualTo(IDS + ALONE - 1);
    assertThat(ledger.effects()).isEqualTo(IDS + ALONE - 1);
    assertThat(ledger.distinct()).isEqualTo(IDS + ALONE - 1);
    // The 50 were one batch; what was settled alone are the messages before it.
    assertThat(Seen.count("SETTLED id-.* batch=50", worker)).isEqualTo(50);
    assertThat(Seen.count("SETTLED .*", worker)).isEqualTo(50 + ALONE);
    assertThat(Seen.count("SETTLED .* batch=1", worker)).isEqualTo(ALONE);
    assertThat(Seen.count("SETTLED id-.* Applied.* batch=50", worker)).isEqualTo(48);
    assertThat(Seen.count("SETTLED .* Duplicate.*", worker)).isEqualTo(2);
    assertThat(Seen.count("SETTLED id-7 Duplicate.* batch=50", worker)).isEqualTo(1);
    assertThat(Seen.count("SETTLED id-20 Duplicate.* batch=50", worker)).isEqualTo(1);
    assertThat(Seen.count("FAILED .*", worker)).isZero();
  }

  /** Ids 0 to 48, and 20 once more near the end. */
  private static List<String> batch() {
    List<String> ids = new ArrayList<>(keys("id", IDS));
    ids.add(40, "id-20");
    return ids;
  }
}
