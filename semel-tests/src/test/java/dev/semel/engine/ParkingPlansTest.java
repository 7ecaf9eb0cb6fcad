package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Consumer;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A hundred thousand parked messages, half of them dead, half of them waiting for tomorrow, on a
 * server of their own. Right: what workers ask every second and what operators list reads indexes,
 * whatever the planner knows.
 */
class ParkingPlansTest {

  private static final int ROWS = 100_000;
  private static final String C = "payments";
  private static final UUID NOBODY = new UUID(0, 0);
  private static final long LEASE_MILLIS = 10_000;

  private static PostgresServer server;
  private static TestDatabase database;

  /** A statement of the engine and what it is asked with. */
  private enum Asked {
    LEASE_FRESH(ParkedMessages.LEASE, NOBODY, NOBODY, LEASE_MILLIS, C, false, true, 50),
    LEASE_FAILED(ParkedMessages.LEASE, NOBODY, NOBODY, LEASE_MILLIS, C, false, false, 1),
    LEASE_ALONE(ParkedMessages.LEASE, NOBODY, NOBODY, LEASE_MILLIS, C, true, true, 1),
    LEASE_HEAD(ParkedMessages.LEASE_HEAD, C, C, C, false, NOBODY, NOBODY, LEASE_MILLIS),
    LEASE_HEAD_ALONE(ParkedMessages.LEASE_HEAD, C, C, C, true, NOBODY, NOBODY, LEASE_MILLIS),
    LEASE_FOLLOWERS(
        ParkedMessages.LEASE_FOLLOWERS,
        NOBODY,
        NOBODY,
        LEASE_MILLIS,
        C,
        "key-7",
        0L,
        C,
        "key-7",
        0L,
        49),
    EXPIRED(ParkedMessages.EXPIRED, C),
    STATE(ParkedMessages.STATE, C, 10_001, C, C),
    LIST(null, null, null, null, 100),
    LIST_OF_CONSUMER(C, null, null, null, 100),
    LIST_OF_RARE_CONSUMER("rare", null, null, null, 100),
    LIST_OF_NOBODY("nobody", null, null, null, 100),
    LIST_DEAD(null, "dead", null, null, 100),
    LIST_WAITING(null, "waiting", null, null, 100),
    LIST_DEAD_OF_CONSUMER(C, "dead", null, null, 100),
    LIST_WAITING_OF_CONSUMER(C, "waiting", null, null, 100),
    LIST_OLD(null, null, null, 86_400_000L, 100),
    LIST_WITH_REASON(C, "dead", "failed", 1_000L, 100);

    private final String sql;
    private final Object[] values;

    Asked(String sql, Object... values) {
      this.sql = sql;
      this.values = values;
    }

    /** The list: each condition is there twice, and so is the one on ids. */
    Asked(String consumer, String state, String reason, Long olderThan, int limit) {
      this(
          ParkedMessages.LIST,
          null,
          null,
          consumer,
          consumer,
          state,
          state,
          reason,
          reason,
          olderThan,
          olderThan,
          limit);
    }

    String plan(Connection connection) throws SQLException {
      List<String> lines = new ArrayList<>();
      try (PreparedStatement s =
          connection.prepareStatement("EXPLAIN " + sql.replace("${schema}", "semel"))) {
        for (int i = 0; i < values.length; i++) {
          if (values[i] == null) {
            s.setNull(i + 1, sql.equals(ParkedMessages.LIST) && i < 2 ? Types.ARRAY : Types.NULL);
          } else {
            s.setObject(i + 1, values[i]);
          }
        }
        try (ResultSet r = s.executeQuery()) {
          while (r.next()) {
            lines.add(r.getString(1));
          }
        }
      }
      return String.join("\n", lines);
    }
  }

  @BeforeAll
  static void fill() throws IOException, SQLException {
    server = PostgresServer.builder().config("autovacuum", "off").start();
    database = filled("plans");
  }

  private static TestDatabase filled(String name) throws SQLException {
    TestDatabase database = server.createDatabase(name);
    var schema = Semel.builder(database.ownerDataSource()).build().schema();
    schema.apply();
    database.executeAsOwner(schema.grants(database.runtimeName()));
    database.executeAsOwner(
        """
        INSERT INTO semel.parked_messages
          (id, consumer, message_id, fingerprint, ordering_key, state, reason, attempts,
           next_attempt_at, first_seen, proved, properties, headers, body)
        SELECT gen_random_uuid(), CASE WHEN n %% 10000 = 3 THEN 'rare' ELSE '%s' END, 'm-' || n,
               sha256(n::text::bytea), CASE WHEN n %% 4 = 1 THEN 'key-' || n %% 1000 END,
               CASE WHEN n %% 2 = 0 THEN 'dead' ELSE 'waiting' END, 'handler failed', n %% 10,
               clock_timestamp() + interval '1 day', clock_timestamp() - n * interval '1 second',
               true, '{}', '{}', sha256(n::text::bytea)
          FROM generate_series(1, %d) n
        """
            .formatted(C, ROWS));
    return database;
  }

  @AfterAll
  static void stop() throws Exception {
    database.close();
    server.close();
  }

  @ParameterizedTest
  @EnumSource
  void readsAnIndexBeforeAndAfterTheTableIsAnalysed(Asked asked) throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      assertThat(asked.plan(c)).as("not analysed").doesNotContain("Seq Scan on parked_messages");
      c.rollback();
    }
    try (Connection c = database.ownerDataSource().getConnection();
        Statement s = c.createStatement()) {
      c.setAutoCommit(false);
      s.execute("ANALYZE semel.parked_messages");
      assertThat(asked.plan(c)).as("analysed").doesNotContain("Seq Scan on parked_messages");
      // What the planner has learnt is forgotten again.
      c.rollback();
    }
  }

  /**
   * Not what the planner would do, but what it did, in sessions that go on and cache their plans.
   */
  @Test
  void aWorkerReadsTheTableByIndexesOnly() throws SQLException {
    try (TestDatabase worked = filled("worked")) {
      worked.executeAsOwner(
          """
          UPDATE semel.parked_messages
             SET next_attempt_at = clock_timestamp() - interval '1 hour',
                 attempts = CASE WHEN substr(message_id, 3)::int % 500 < 400 THEN 0 ELSE 3 END
           WHERE consumer = 'payments' AND substr(message_id, 3)::int % 100 IN (1, 3)
          """,
          "ANALYZE semel.parked_messages");
      int due = ROWS / 50 - ROWS / 10_000;
      long scans = statistic(worked, "seq_scan");
      AtomicInteger runs = new AtomicInteger();
      Consumer consumer =
          Consumer.named(C)
              .source(new Nothing())
              .orderingKey(message -> null)
              .handler((message, tx) -> runs.incrementAndGet())
              .build();

      Worker worker = Semel.builder(worked.runtimeDataSource()).lanes(2).build().start(consumer);
      Await.until("all that is due has run", Duration.ofSeconds(120), () -> runs.get() >= due);
      worker.close();

      Await.until(
          "the statistics have come",
          Duration.ofSeconds(30),
          () -> statistic(worked, "n_tup_del") >= due);
      assertThat(statistic(worked, "seq_scan") - scans).as("reads of the whole table").isZero();
      assertThat(runs.get()).isEqualTo(due);
      assertThat(worked.queryLong("SELECT applied FROM semel.books WHERE consumer = 'payments'"))
          .isEqualTo(due);
    }
  }

  private static long statistic(TestDatabase of, String column) throws SQLException {
    return of.queryLong(
        "SELECT "
            + column
            + " FROM pg_stat_all_tables"
            + " WHERE schemaname = 'semel' AND relname = 'parked_messages'");
  }

  /** A queue that stays empty, of which this process is the only consumer. */
  private static final class Nothing implements MessageSource, Subscription {

    @Override
    public String name() {
      return "nothing";
    }

    @Override
    public void check() {}

    @Override
    public boolean oneProcessAtATime() {
      return true;
    }

    @Override
    public Subscription subscribe(Intake intake, int prefetch) {
      intake.subscribed();
      return this;
    }

    @Override
    public void acknowledge(List<? extends Delivery> deliveries) {}

    @Override
    public void giveBack(List<? extends Delivery> deliveries) {}

    @Override
    public void wanted(boolean wanted) {}

    @Override
    public int held() {
      return 0;
    }

    @Override
    public void renew(String reason) {}

    @Override
    public boolean subscribed() {
      return true;
    }

    @Override
    public void close() {}
  }
}
