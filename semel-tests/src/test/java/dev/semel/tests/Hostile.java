package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A schema with tables of the names that Semel uses, for whoever sets a search_path, and a role
 * that may not touch Semel's tables, for whoever sets a role.
 */
final class Hostile {

  static final String SCHEMA = "hostile";

  private Hostile() {}

  static void in(TestDatabase database) throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      s.execute(
          """
          CREATE SCHEMA IF NOT EXISTS hostile;
          CREATE TABLE IF NOT EXISTS hostile.processed_messages (id text);
          CREATE TABLE IF NOT EXISTS hostile.processed_messages_0 (
            consumer text, message_id text, fingerprint bytea, processed_at timestamptz);
          CREATE TABLE IF NOT EXISTS hostile.parked_messages (consumer text, message_id text);
          CREATE TABLE IF NOT EXISTS hostile.slots (turn bigint, dropped_before timestamptz);
          CREATE TABLE IF NOT EXISTS hostile.installation (id uuid);
          CREATE TABLE IF NOT EXISTS hostile.workers (id uuid);
          CREATE TABLE IF NOT EXISTS hostile.consumers (name text);
          CREATE TABLE IF NOT EXISTS hostile.outbox (id bigint);
          GRANT ALL ON SCHEMA hostile TO PUBLIC;
          GRANT ALL ON ALL TABLES IN SCHEMA hostile TO PUBLIC;
          """);
      s.execute("GRANT pg_signal_backend TO " + database.runtimeName());
    }
  }

  static void assertUntouched(TestDatabase database) throws SQLException {
    for (String table :
        new String[] {
          "processed_messages",
          "processed_messages_0",
          "parked_messages",
          "slots",
          "installation",
          "workers",
          "consumers",
          "outbox"
        }) {
      assertThat(database.queryLong("SELECT count(*) FROM hostile." + table)).as(table).isZero();
    }
  }
}
