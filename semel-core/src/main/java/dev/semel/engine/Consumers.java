package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The table {@code consumers}: which source a consumer's keys belong to. */
final class Consumers {

  private static final String REGISTER =
      """
      INSERT INTO ${schema}.consumers (name, source) VALUES (?, ?) ON CONFLICT DO NOTHING
      """;

  private static final String MOVE =
      """
      UPDATE ${schema}.consumers SET source = ?, registered_at = clock_timestamp()
       WHERE name = ? AND source = ?
      """;

  private static final String SOURCE = "SELECT source FROM ${schema}.consumers WHERE name = ?";

  private final String register;
  private final String move;
  private final String source;

  Consumers(String schema) {
    register = REGISTER.replace("${schema}", schema);
    move = MOVE.replace("${schema}", schema);
    source = SOURCE.replace("${schema}", schema);
  }

  /** Registers the consumer if it is new; gives the source that it is registered with. */
  String register(Connection connection, String name, String from) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(register)) {
      s.setString(1, name);
      s.setString(2, from);
      s.executeUpdate();
    }
    try (PreparedStatement s = connection.prepareStatement(source)) {
      s.setString(1, name);
      try (ResultSet r = s.executeQuery()) {
        r.next();
        return r.getString(1);
      }
    }
  }

  void move(Connection connection, String name, String from, String to) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(move)) {
      s.setString(1, to);
      s.setString(2, name);
      s.setString(3, from);
      s.executeUpdate();
    }
  }
}
