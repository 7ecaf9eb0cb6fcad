package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.Outgoing;
import dev.semel.Schema;
import dev.semel.Semel;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/**
 * An outbox with rows that wait is copied into a new cluster, where transaction ids are low again
 * and the sequence of the ids begins anew; more rows are written there, and a transaction that
 * nobody ends holds back the horizon. Right: no relay runs before a person says that it is the
 * original now; then old and new rows leave once each, the old ones in the order of their keys.
 */
class F36_RestoredElsewhereTest extends OutboxScene {

  private static final long HIGH = 1_000_000;
  private static final int KEYS = 3;

  private static @Nullable PostgresServer second;

  private final TestDatabase original;

  F36_RestoredElsewhereTest(TestDatabase original, TestVhost vhost, RabbitNode broker)
      throws IOException, SQLException {
    super(inSecondCluster(), vhost, broker);
    this.original = original;
    Ledger.in(original);
  }

  private static TestDatabase inSecondCluster() throws IOException, SQLException {
    second = PostgresServer.start();
    return second.createDatabase("restored");
  }

  @AfterAll
  static void endSecond() {
    if (second != null) {
      second.close();
    }
  }

  @Test
  void oldAndNewRowsLeave() throws Exception {
    original.executeAsOwner("ALTER TABLE semel.outbox ALTER COLUMN id RESTART WITH " + HIGH);
    for (int i = 0; i < 500; i++) {
      original.queryLong("SELECT pg_current_xact_id()::text::bigint");
    }
    List<String> old = bodies("old", 30);
    Semel there = Semel.builder(original.runtimeDataSource()).build();
    try (Connection connection = original.runtimeDataSource().getConnection()) {
      connection.setAutoCommit(false);
      List<Outgoing> messages = new ArrayList<>();
      for (int i = 0; i < old.size(); i++) {
        messages.add(toOut(old.get(i)).orderingKey("key-" + i % KEYS).build());
      }
      there.outbox().add(connection, messages);
      connection.commit();
    }
    long highest = original.queryLong("SELECT pg_current_xact_id()::text::bigint");
    restore();

    assertThatThrownBy(this::startRelay)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("schema adopt");
    schema().adopt(Schema.Adoption.MOVED, "ann", "the old machine is gone");

    try (Connection idle = database.superConnection();
        Statement held = idle.createStatement()) {
      idle.setAutoCommit(false);
      held.execute("INSERT INTO public.effects (k) VALUES ('never committed')");
      List<String> fresh = bodies("new", 10);
      addBodies(fresh);
      assertThat(database.queryLong("SELECT min(id) FROM semel.outbox")).isEqualTo(1);
      assertThat(database.queryLong("SELECT max(xmin::text::bigint) FROM semel.outbox"))
          .as("transaction ids are lower than where the rows come from")
          .isLessThan(highest);
      startRelay();
      awaitOutboxEmpty();
      List<String> all = new ArrayList<>(old);
      all.addAll(fresh);
      assertOnceEach(all);
      idle.rollback();
    }
    for (int key = 0; key < KEYS; key++) {
      int mine = key;
      assertThat(arrivedBodies())
          .filteredOn(b -> b.startsWith("old") && number(b) % KEYS == mine)
          .isSortedAccordingTo((a, b) -> Integer.compare(number(a), number(b)));
    }
  }

  private static int number(String body) {
    return Integer.parseInt(body.substring(body.indexOf('-') + 1));
  }

  private Schema schema() {
    return Semel.builder(database.ownerDataSource()).build().schema();
  }

  /** As a dump does it: the rows without what is generated, and triggers only afterwards. */
  private void restore() throws SQLException, IOException {
    try (Connection from = original.superConnection();
        Connection to = database.superConnection();
        Statement s = to.createStatement()) {
      s.execute("SET session_replication_role = replica");
      s.execute("DELETE FROM semel.installation");
      for (String table : List.of("installation", "outbox", "promise_entries")) {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        String what = "COPY semel." + table + " (" + columns(from, table) + ") ";
        from.unwrap(PGConnection.class).getCopyAPI().copyOut(what + "TO STDOUT", rows);
        to.unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn(what + "FROM STDIN", new ByteArrayInputStream(rows.toByteArray()));
      }
      s.execute("ALTER TABLE semel.outbox ALTER COLUMN id RESTART WITH 1");
    }
  }

  private static String columns(Connection connection, String table) throws SQLException {
    try (Statement s = connection.createStatement();
        ResultSet row =
            s.executeQuery(
                "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
                    + " WHERE attrelid = 'semel."
                    + table
                    + "'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''")) {
      row.next();
      return row.getString(1);
    }
  }
}
