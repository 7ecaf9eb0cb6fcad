package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code installation}: which database this is, and whether it still is that one. */
final class Installation {

  private static final String READ =
      """
      SELECT i.id, i.system_identifier = c.system_identifier AND i.database_oid = d.oid AS at_home
        FROM ${schema}.installation i, pg_control_system() c, pg_database d
       WHERE d.datname = current_database()
      """;

  /** Seeds of the hashes of the advisory locks of one consumer; two kinds of keys, two seeds. */
  private static final String SCOPE =
      """
      SELECT hashtextextended(?, hashtextextended(id::text, 1)),
             hashtextextended(?, hashtextextended(id::text, 2)), id
        FROM ${schema}.installation
      """;

  private static final String ADOPT =
      """
      UPDATE ${schema}.installation i
         SET id = coalesce(?, i.id), system_identifier = c.system_identifier, database_oid = d.oid
        FROM pg_control_system() c, pg_database d
       WHERE d.datname = current_database()
      """;

  private final String read;
  private final String scope;
  private final String adopt;

  Installation(String schema) {
    read = READ.replace("${schema}", schema);
    scope = SCOPE.replace("${schema}", schema);
    adopt = ADOPT.replace("${schema}", schema);
  }

  record Row(UUID id, boolean atHome) {}

  Row read(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(read);
        ResultSet r = s.executeQuery()) {
      if (!r.next()) {
        throw new SQLException(
            "semel: the table installation is empty; run: semel schema validate");
      }
      return new Row(r.getObject(1, UUID.class), r.getBoolean(2));
    }
  }

  Claims.Scope scope(Connection connection, String consumer) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(scope)) {
      s.setString(1, consumer);
      s.setString(2, consumer);
      try (ResultSet r = s.executeQuery()) {
        r.next();
        return new Claims.Scope(r.getLong(1), r.getLong(2), r.getObject(3, UUID.class));
      }
    }
  }

  /** Writes down where the database is now; a new id if one is given. */
  void adopt(Connection connection, @Nullable UUID newId) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(adopt)) {
      s.setObject(1, newId, java.sql.Types.OTHER);
      s.executeUpdate();
    }
  }
}
