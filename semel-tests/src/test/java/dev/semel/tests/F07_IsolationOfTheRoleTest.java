package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The role, or the database, has a higher isolation level for its default; 200 ids × 3 copies, 8
 * lanes. Right: one effect each, 400 duplicates, nothing parked, no attempt spent, and handlers run
 * at READ COMMITTED.
 */
class F07_IsolationOfTheRoleTest extends WorkerTest {

  private static final int IDS = 200;
  private static final int COPIES = 3;

  /** Divides by zero at any other level. */
  private static final String CHECKS_ITS_LEVEL =
      "sql SELECT 1 / (current_setting('transaction_isolation') = 'read committed')::int";

  private final PostgresServer postgres;

  F07_IsolationOfTheRoleTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  @AfterEach
  void usualLevel() throws SQLException {
    asSuperuser("ALTER ROLE " + database.runtimeName() + " RESET default_transaction_isolation");
    asSuperuser("ALTER DATABASE " + database.name() + " RESET default_transaction_isolation");
  }

  @ParameterizedTest(name = "{0} at {1}")
  @CsvSource({"ROLE, repeatable read", "DATABASE, serializable"})
  void changesNothing(String of, String level) throws IOException, SQLException {
    String name = of.equals("ROLE") ? database.runtimeName() : database.name();
    asSuperuser(
        "ALTER " + of + " " + name + " SET default_transaction_isolation = '" + level + "'");
    assertThat(levelOfNewSessions()).isEqualTo(level);

    WorkerProcess worker = start(worker().lanes(8).batch(10));
    publish("level", CHECKS_ITS_LEVEL);
    assertThat(worker.awaitLine("(FAILED|SETTLED) level")).startsWith("SETTLED level Applied");
    meetsAWinnerThatCommitsDuringItsClaim(worker);
    publishAll(shuffledCopies(), "ok");
    awaitQueueEmpty();
    Seen.awaitSettled(COPIES * IDS + 2, worker);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(IDS + 2);
    assertThat(ledger.parked()).isZero();
    assertThat(Seen.count("FAILED .*", worker)).isZero();
    assertThat(Seen.inServerLog(postgres, database, "40001")).isEmpty();
    assertThat(Seen.count("AWAY .*", worker)).isZero();
    assertThat(Seen.count("SETTLED k-.* Applied.*", worker)).isEqualTo(IDS);
    assertThat(Seen.count("SETTLED k-.* Duplicate.*", worker)).isEqualTo((COPIES - 1) * IDS);
  }

  /**
   * The claim waits for a table; meanwhile its key is applied elsewhere. A snapshot of the whole
   * transaction would be older than that.
   */
  private void meetsAWinnerThatCommitsDuringItsClaim(WorkerProcess worker)
      throws IOException, SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      c.setAutoCommit(false);
      s.execute("LOCK TABLE semel.slots IN ACCESS EXCLUSIVE MODE");
      publish("late", "ok");
      Await.until(
          "the claim waits",
          DEADLINE,
          () -> database.queryLong("SELECT count(*) FROM pg_locks WHERE NOT granted") == 1);
      // An empty fingerprint equals every message.
      database.executeAsOwner(
          "INSERT INTO semel.processed_messages_0 VALUES ('" + CONSUMER + "', 'late', '')",
          "INSERT INTO public.effects (k) VALUES ('late')");
      c.commit();
    }
    assertThat(worker.awaitLine("(FAILED|SETTLED) late")).startsWith("SETTLED late Duplicate");
  }

  /** Copies near each other, so that lanes meet over them. */
  private static List<String> shuffledCopies() {
    long seed = Long.getLong("semel.test.seed", System.nanoTime());
    System.out.println("F07: -Dsemel.test.seed=" + seed);
    Random random = new Random(seed);
    List<String> all = new ArrayList<>();
    for (int first = 0; first < IDS; first += 20) {
      List<String> near = new ArrayList<>();
      for (int i = first; i < first + 20; i++) {
        near.addAll(Collections.nCopies(COPIES, "k-" + i));
      }
      Collections.shuffle(near, random);
      all.addAll(near);
    }
    return all;
  }

  private String levelOfNewSessions() throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection();
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("SHOW transaction_isolation")) {
      r.next();
      return r.getString(1);
    }
  }

  private void asSuperuser(String sql) throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      s.execute(sql);
    }
  }
}
