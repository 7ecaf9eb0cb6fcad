package dev.semel.tests;

import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Tx;
import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables of a test: Semel's own, and {@code effects}, which has no unique key on purpose. */
final class Ledger {

  private final TestDatabase database;

  private Ledger(TestDatabase database) {
    this.database = database;
  }

  /** Applies the schema as the owner and gives the runtime role what it needs, no more. */
  static Ledger in(TestDatabase database) throws SQLException {
    var schema = Semel.builder(database.ownerDataSource()).build().schema();
    schema.apply();
    database.executeAsOwner(
        schema.grants(database.runtimeName()),
        "CREATE TABLE IF NOT EXISTS public.effects (k text NOT NULL, note text, at timestamptz"
            + " NOT NULL DEFAULT clock_timestamp())",
        "GRANT SELECT, INSERT ON public.effects TO " + database.runtimeName());
    return new Ledger(database);
  }

  /** The ordinary effect: one row. */
  static void apply(Message message, Tx tx) throws SQLException {
    insert(tx, String.valueOf(message.id()), message.text());
  }

  static void insert(Tx tx, String key, String note) throws SQLException {
    try (PreparedStatement s =
        tx.connection().prepareStatement("INSERT INTO public.effects (k, note) VALUES (?, ?)")) {
      s.setString(1, key);
      s.setString(2, note);
      s.executeUpdate();
    }
  }

  long effects(String key) throws SQLException {
    return database.queryLong("SELECT count(*) FROM public.effects WHERE k = '" + key + "'");
  }

  long effects() throws SQLException {
    return database.queryLong("SELECT count(*) FROM public.effects");
  }

  long distinct() throws SQLException {
    return database.queryLong("SELECT count(DISTINCT k) FROM public.effects");
  }

  long keys() throws SQLException {
    return database.queryLong("SELECT count(*) FROM semel.processed_messages");
  }

  long parked() throws SQLException {
    return database.queryLong("SELECT count(*) FROM semel.parked_messages");
  }

  long parked(String reasonLike) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM semel.parked_messages WHERE reason LIKE '" + reasonLike + "'");
  }

  /** {@code key|state|attempts|deaths|reason|error class|error message|SQLSTATE}, by key. */
  List<String> parkedRows() throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection c = database.superConnection();
        Statement s = c.createStatement();
        ResultSet r =
            s.executeQuery(
                "SELECT concat_ws('|', message_id, state, attempts, deaths, reason, error_class,"
                    + " error_message, error_sqlstate)"
                    + " FROM semel.parked_messages ORDER BY message_id")) {
      while (r.next()) {
        rows.add(r.getString(1));
      }
    }
    return rows;
  }
}
