package dev.semel.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The tables of the contenders. {@code effects} has no unique key, so that a double effect shows as
 * two rows.
 */
final class Effects {

  static final String INSERT = "INSERT INTO effects (message_id, body) VALUES (?, ?)";

  private Effects() {}

  static void createTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE effects (message_id text NOT NULL, body text NOT NULL)");
      // the key table of the hand-written loops
      statement.execute(
          """
          CREATE TABLE processed_messages (
            message_id    text         PRIMARY KEY,
            processed_at  timestamptz  NOT NULL DEFAULT now()
          )
          """);
    }
  }

  /** What became of the keys. */
  record Count(long once, long doubled) {}

  static Count count(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                """
                SELECT count(*) FILTER (WHERE n = 1), count(*) FILTER (WHERE n > 1)
                  FROM (SELECT count(*) AS n FROM effects GROUP BY message_id) per_key
                """);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Count(row.getLong(1), row.getLong(2));
    }
  }
}
