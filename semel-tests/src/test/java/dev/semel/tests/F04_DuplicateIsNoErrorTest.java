package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A message, then the same one again with 100 fresh ones behind it. Right: one effect each, the
 * copy acknowledged as a duplicate; no error in either log, above all no aborted transaction.
 */
class F04_DuplicateIsNoErrorTest extends WorkerTest {

  private static final String ABORTED = "25P02";
  private static final String UNIQUE_VIOLATION = "23505";

  private final PostgresServer postgres;

  F04_DuplicateIsNoErrorTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  @Test
  void aCopyAndThenFreshMessages() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1));
    publish("k", "ok");
    worker.awaitLine("SETTLED k Applied");
    List<String> next = new ArrayList<>(List.of("k"));
    next.addAll(keys("fresh", 100));
    publishAll(next, "ok");
    assertThat(worker.awaitLine("FAILED|SETTLED k Duplicate")).startsWith("SETTLED");
    awaitQueueEmpty();
    Seen.awaitSettled(102, worker);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(101);
    assertThat(Seen.count("SETTLED .* Duplicate.*", worker)).isEqualTo(1);
    assertThat(Seen.count("SETTLED k Duplicate.*", worker)).isEqualTo(1);
    assertThat(Seen.count("SETTLED fresh-.* Applied.* attempt=1 .*", worker)).isEqualTo(100);
    assertThat(Seen.count("FAILED .*", worker)).isZero();
    assertThat(worker.log()).noneMatch(l -> l.contains(ABORTED) || l.contains("aborted"));
    assertThat(Seen.inServerLog(postgres, database, UNIQUE_VIOLATION)).isEmpty();
    assertThat(Seen.inServerLog(postgres, database, ABORTED)).isEmpty();
    abortATransaction();
    Await.until(
        "the log to show what was looked for",
        DEADLINE,
        () -> Seen.inServerLog(postgres, database, ABORTED).size() == 1);
  }

  /** The counter-proof: had there been one, the log would show it. */
  private void abortATransaction() throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection();
        Statement s = c.createStatement()) {
      c.setAutoCommit(false);
      assertThatThrownBy(() -> s.execute("SELECT 1/0")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> s.execute("SELECT 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(ABORTED));
    }
  }
}
