package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Handlers that end, break or bend the transaction that they were lent: alone, inside a batch, and
 * inside a batch whose first key is a copy; as Handler and as BatchHandler. Right: never an effect
 * without its key, never a key without its effect, the others of the batch once each, and a reason
 * that names what the handler did.
 */
class GuardTest extends WorkerTest {

  private static final int GATE = 4711;
  private static final String COPY = "copy";

  private int gates;

  GuardTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
    Hostile.in(database);
  }

  /** For the twins: one that lets the handler commit has two effects of this. */
  @Test
  void committedByTheHandlerAndThenFailed() throws IOException, SQLException {
    start(worker().lanes(1));
    publish("k", "raw-commit\nfail-once");
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects("k")).isZero();
    assertThat(ledger.parked("handler ended the transaction%")).isEqualTo(1);
  }

  @ParameterizedTest(name = "batchHandler {0}, first key is a copy {1}")
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void whoEndsTheTransactionIsParked(boolean batchHandler, boolean copyFirst)
      throws IOException, SQLException {
    WorkerProcess worker = start(spec(batchHandler));
    applyOnce(worker);
    for (Misdeed misdeed : Misdeed.ENDING) {
      String alone = misdeed.name() + "-alone";
      publish(alone, misdeed.orders());
      worker.awaitLine("SETTLED " + alone + " Parked.* batch=1$");
      batch(worker, misdeed, copyFirst);
      worker.awaitLine("SETTLED " + misdeed.name() + " Parked.* batch=1$");
      assertThat(entered(worker, misdeed.name() + "-before"))
          .as("the batch of %s was rolled back, and the one before it ran again", misdeed)
          .isEqualTo(2);
    }
    awaitQueueEmpty();
    assertThat(worker.lines()).noneMatch(l -> l.startsWith("FAILED") || l.startsWith("AWAY"));

    assertOnceEach();
    assertKeysAndEffectsAgree();
    int misdeeds = Misdeed.ENDING.size();
    assertThat(ledger.effects()).isEqualTo((copyFirst ? 2L : 3L) * misdeeds + 1 + WARM + gates);
    assertThat(ledger.parked()).isEqualTo(2L * misdeeds);
    for (Misdeed misdeed : Misdeed.ENDING) {
      assertThat(
              database.queryLong(
                  "SELECT count(*) FROM semel.parked_messages WHERE state = 'dead' AND reason LIKE '"
                      + misdeed.reason()
                      + "' AND message_id IN ('"
                      + misdeed.name()
                      + "', '"
                      + misdeed.name()
                      + "-alone')"))
          .as(misdeed.name())
          .isEqualTo(2);
    }
  }

  @ParameterizedTest(name = "batchHandler {0}")
  @ValueSource(booleans = {false, true})
  void whoBendsTheSessionIsApplied(boolean batchHandler) throws IOException, SQLException {
    WorkerProcess worker = start(spec(batchHandler));
    applyOnce(worker);
    for (Misdeed misdeed : Misdeed.HARMLESS) {
      String alone = misdeed.name() + "-alone";
      publish(alone, misdeed.orders());
      worker.awaitLine("SETTLED " + alone + " Applied.*");
      String after = misdeed.name() + "-next-transaction";
      publish(after, "ok");
      worker.awaitLine("SETTLED " + after + " Applied.*");
      batch(worker, misdeed, true);
      // Whoever comes after a role that was not reset fails, which cuts the batch.
      String size = misdeed.name().equals("role") ? "[134]" : "4";
      worker.awaitLine("SETTLED " + misdeed.name() + " Applied.* batch=" + size + "$");
    }
    awaitQueueEmpty();
    assertOnceEach();
    assertKeysAndEffectsAgree();
    assertThat(ledger.effects()).isEqualTo(5L * Misdeed.HARMLESS.size() + 1 + WARM + gates);
    assertThat(ledger.parked()).isZero();
    Hostile.assertUntouched(database);
  }

  /** The driver's commit() of an aborted transaction returns normally and stores nothing. */
  @ParameterizedTest(name = "batchHandler {0}")
  @ValueSource(booleans = {false, true})
  void aSwallowedErrorIsNoSuccess(boolean batchHandler) throws IOException, SQLException {
    WorkerProcess worker = start(spec(batchHandler).attempts(2));
    applyOnce(worker);
    Misdeed swallow = new Misdeed("swallow", "swallow INSERT INTO nowhere VALUES (1)", "");
    batch(worker, swallow, true);
    worker.awaitLine("FAILED swallow 1 .*handler swallowed an SQL error.*");
    worker.awaitLine("FAILED swallow 2 .*handler swallowed an SQL error.*");
    awaitQueueEmpty();
    assertThat(worker.lines()).contains("SWALLOWED 42P01").noneMatch(l -> l.startsWith("AWAY"));
    assertThat(entered(worker, "swallow-before"))
        .as("the batch was rolled back, and the one before it ran again, in the end alone")
        .isEqualTo(batchHandler ? 2 : 3);

    assertOnceEach();
    assertKeysAndEffectsAgree();
    assertThat(ledger.effects("swallow")).isZero();
    assertThat(ledger.effects()).isEqualTo(3L + WARM + gates);
    assertThat(ledger.parkedRows())
        .singleElement()
        .asString()
        .startsWith("swallow|dead|2|0|handler failed|")
        .contains("handler swallowed an SQL error");
  }

  /**
   * In one batch with a handler that has swallowed an error, the next one gets "transaction is
   * aborted". Right: that is no failure of its own, not even where the first one is the last.
   */
  @ParameterizedTest(name = "batchHandler {0}")
  @ValueSource(booleans = {false, true})
  void aSwallowedErrorIsNotTheNextOnesFault(boolean batchHandler) throws IOException, SQLException {
    WorkerProcess worker = start(spec(batchHandler).attempts(1));
    applyOnce(worker);
    batch(worker, new Misdeed("swallow", "swallow INSERT INTO nowhere VALUES (1)", ""), true);
    worker.awaitLine("DIED swallow ");
    awaitQueueEmpty();

    assertThat(Seen.count("FAILED swallow-.*", worker)).isZero();
    assertOnceEach();
    assertKeysAndEffectsAgree();
    assertThat(ledger.effects()).isEqualTo(3L + WARM + gates);
    assertThat(ledger.parkedRows()).singleElement().asString().startsWith("swallow|dead|1|");
  }

  /** Batches are halved by every failure; the first one is large enough for all that follow. */
  private WorkerSpec spec(boolean batchHandler) {
    WorkerSpec spec = worker().lanes(1).batch(1000).lockTimeoutMillis(30_000);
    return batchHandler ? spec.batchHandler() : spec;
  }

  private void applyOnce(WorkerProcess worker) throws IOException {
    warmUp(worker);
    publish(COPY, "ok");
    worker.awaitLine("SETTLED " + COPY + " Applied.*");
  }

  /**
   * Four messages in one batch, the misdeed third; returns when its neighbours are settled. The
   * lane is held in a handler until the broker has nothing left to deliver.
   */
  private void batch(WorkerProcess worker, Misdeed misdeed, boolean copyFirst)
      throws IOException, SQLException {
    String name = misdeed.name();
    String gate = "gate-" + gates++;
    try (Connection holder = database.superConnection();
        Statement s = holder.createStatement()) {
      s.execute("SELECT pg_advisory_lock(" + GATE + ")");
      publish(gate, "sql SELECT pg_advisory_xact_lock(" + GATE + ")");
      worker.awaitLine("ENTERED " + gate);
      List<TestVhost.Publication> batch = new ArrayList<>();
      batch.add(publication(copyFirst ? COPY : name + "-first", "ok"));
      batch.add(publication(name + "-before", "ok"));
      batch.add(publication(name, misdeed.orders()));
      batch.add(publication(name + "-after", "ok"));
      publishPrepared(batch);
      Await.until("all are delivered", DEADLINE, () -> vhost.readyCount(queue) == 0);
    }
    worker.awaitLine("SETTLED " + name + "-before Applied.*");
    worker.awaitLine("SETTLED " + name + "-after Applied.*");
  }

  private static long entered(WorkerProcess worker, String key) {
    return worker.lines().stream().filter(l -> l.equals("ENTERED " + key)).count();
  }

  /** Key by key: each effect has its key, each key has its effect, and none has two. */
  private void assertKeysAndEffectsAgree() throws SQLException {
    assertThat(
            database.queryLong(
                """
                SELECT count(*)
                  FROM (SELECT k, count(*) AS n FROM public.effects GROUP BY k) e
                  FULL JOIN semel.processed_messages p ON p.message_id = e.k
                 WHERE e.k IS NULL OR p.message_id IS NULL OR e.n <> 1
                """))
        .as("keys without an effect, or effects without a key")
        .isZero();
  }
}
