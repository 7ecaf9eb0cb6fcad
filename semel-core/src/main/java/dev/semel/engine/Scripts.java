package dev.semel.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The numbered scripts in the jar, and the table {@code schema_version} that tells which ran. */
final class Scripts {

  /** One script for each release of the tables; never edited once released. */
  private static final List<String> FILES =
      List.of("001_foundation.sql", "002_parking.sql", "003_outbox.sql");

  private static final String VERSIONS = "SELECT version, checksum FROM ${schema}.schema_version";

  private static final String RECORD =
      "INSERT INTO ${schema}.schema_version (version, checksum) VALUES (?, ?)";

  private static final String EXISTS = "SELECT to_regclass(?) IS NOT NULL";

  /** Guards and rows without which a promise would not hold. */
  private static final String LAMED =
      """
      SELECT (SELECT count(*) FROM pg_trigger t WHERE t.tgname = 'guard' AND t.tgenabled = 'O'
                 AND t.tgrelid IN (to_regclass(? || '.processed_messages_0'),
                                   to_regclass(? || '.processed_messages_1'),
                                   to_regclass(? || '.processed_messages_2'))),
             (SELECT count(*) FROM ${schema}.slots), (SELECT count(*) FROM ${schema}.installation)
      """;

  private final String schema;

  Scripts(String schema) {
    this.schema = schema;
  }

  /** One script, with the schema's name put in. */
  record Script(int version, String sql, String checksum) {}

  List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    for (String file : FILES) {
      String text = read(file);
      scripts.add(
          new Script(
              Integer.parseInt(file.substring(0, 3)),
              text.replace("${schema}", schema),
              checksum(text)));
    }
    return scripts;
  }

  /** What a person's own migration tool would run; records itself as applied. */
  String sql() {
    StringBuilder sql = new StringBuilder();
    for (Script script : all()) {
      sql.append(script.sql())
          .append('\n')
          .append("INSERT INTO " + schema + ".schema_version (version, checksum) VALUES (")
          .append(script.version() + ", '" + script.checksum() + "');\n");
    }
    return sql.toString();
  }

  Map<Integer, String> applied(Connection connection) throws SQLException {
    Map<Integer, String> applied = new HashMap<>();
    try (PreparedStatement exists = connection.prepareStatement(EXISTS)) {
      exists.setString(1, schema + ".schema_version");
      try (ResultSet r = exists.executeQuery()) {
        r.next();
        if (!r.getBoolean(1)) {
          return applied;
        }
      }
    }
    try (PreparedStatement s = connection.prepareStatement(VERSIONS.replace("${schema}", schema));
        ResultSet r = s.executeQuery()) {
      while (r.next()) {
        applied.put(r.getInt(1), r.getString(2));
      }
    }
    return applied;
  }

  void record(Connection connection, Script script) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(RECORD.replace("${schema}", schema))) {
      s.setInt(1, script.version());
      s.setString(2, script.checksum());
      s.executeUpdate();
    }
  }

  /** One line for each thing that is wrong; without remedies, which depend on who asks. */
  List<String> problems(Connection connection) throws SQLException {
    Map<Integer, String> applied = applied(connection);
    List<String> problems = new ArrayList<>();
    List<Script> scripts = all();
    if (applied.isEmpty()) {
      return List.of("the schema '" + schema + "' has no Semel tables that this user can see");
    }
    for (Script script : scripts) {
      String checksum = applied.remove(script.version());
      if (checksum == null) {
        problems.add("script " + script.version() + " has not been applied");
      } else if (!checksum.equals(script.checksum())) {
        problems.add("script " + script.version() + " was applied with other content");
      }
    }
    applied
        .keySet()
        .forEach(v -> problems.add("script " + v + " is not known here: this library is older"));
    if (problems.isEmpty()) {
      try (PreparedStatement s = connection.prepareStatement(LAMED.replace("${schema}", schema))) {
        for (int i = 1; i <= 3; i++) {
          s.setString(i, schema);
        }
        try (ResultSet r = s.executeQuery()) {
          r.next();
          expect(problems, r.getInt(1), 3, "enabled guard triggers");
          expect(problems, r.getInt(2), 1, "rows in slots");
          expect(problems, r.getInt(3), 1, "rows in installation");
        }
      }
    }
    return problems;
  }

  private static void expect(List<String> problems, int seen, int wanted, String what) {
    if (seen != wanted) {
      problems.add(seen + " " + what + " instead of " + wanted);
    }
  }

  private static String read(String file) {
    try (InputStream in = Scripts.class.getResourceAsStream("/dev/semel/schema/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String checksum(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
