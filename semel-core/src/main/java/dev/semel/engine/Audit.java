package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The table {@code audit}: what operators did, when and why. */
final class Audit {

  private static final String WRITE =
      """
      INSERT INTO ${schema}.audit (who, verb, target, reason, detail) VALUES (?, ?, ?, ?, ?)
      """;

  private final String write;

  Audit(String schema) {
    write = WRITE.replace("${schema}", schema);
  }

  void write(
      Connection connection, String who, String verb, String target, String reason, String detail)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(write)) {
      s.setString(1, who);
      s.setString(2, verb);
      s.setString(3, target);
      s.setString(4, reason);
      s.setString(5, detail);
      s.executeUpdate();
    }
  }
}
