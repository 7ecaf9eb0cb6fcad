package dev.semel.bench;

import dev.semel.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the servers say of themselves, so that nobody measures without durability. */
final class ServerFacts {

  private static final List<String> DURABILITY =
      List.of("fsync", "synchronous_commit", "full_page_writes");

  private final Map<String, String> all = new LinkedHashMap<>();

  void broker(Backlog backlog) {
    all.putIfAbsent("broker", backlog.brokerVersion());
  }

  void readBack(PostgresServer postgres) throws SQLException {
    try (Connection connection = postgres.superConnection("postgres");
        Statement statement = connection.createStatement()) {
      all.put("PostgreSQL", show(statement, "server_version"));
      for (String name : DURABILITY) {
        all.put(name, show(statement, name));
      }
    }
  }

  private static String show(Statement statement, String name) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  Map<String, String> all() {
    return Collections.unmodifiableMap(all);
  }
}
