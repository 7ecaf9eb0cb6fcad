package dev.semel.worker.demo;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The effect of a payment: one row. The same statement for all three workers. */
record Charge(String table) {

  void write(Connection connection, String payment, byte[] body) throws SQLException {
    String json = new String(body, StandardCharsets.UTF_8);
    String sql = "insert into " + table + "(payment, cents) values (?, (?::json ->> 'cents')::int)";
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      insert.setString(1, payment);
      insert.setString(2, json);
      insert.executeUpdate();
    }
  }
}
