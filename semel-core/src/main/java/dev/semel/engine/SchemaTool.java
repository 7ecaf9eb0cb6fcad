package dev.semel.engine;

import dev.semel.ConfigurationException;
import dev.semel.Schema;
import dev.semel.Settings;
import dev.semel.UnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The verbs on the tables. */
final class SchemaTool implements Schema {

  private static final String COPIED =
      "the database was copied while this waited: the original sends it; see schema adopt --copied";

  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(?, 5361893))";

  private final Settings settings;
  private final Tables tables;
  private final Scripts scripts;

  SchemaTool(Settings settings, Tables tables) {
    this.settings = settings;
    this.tables = tables;
    this.scripts = new Scripts(settings.schema());
  }

  @Override
  public String sql() {
    return scripts.sql();
  }

  @Override
  public String grants(String role) {
    String quoted = '"' + role.replace("\"", "\"\"") + '"';
    String schema = settings.schema();
    return """
        GRANT USAGE ON SCHEMA %1$s TO %2$s;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %1$s TO %2$s;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA %1$s TO %2$s;
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %1$s TO %2$s;
        """
        .formatted(schema, quoted);
  }

  @Override
  public List<Integer> apply() {
    return inTransaction(
        connection -> {
          int major = connection.getMetaData().getDatabaseMajorVersion();
          if (major < StartChecks.OLDEST_POSTGRES) {
            throw new ConfigurationException(
                "the server is PostgreSQL "
                    + major
                    + "; Semel needs "
                    + StartChecks.OLDEST_POSTGRES
                    + " or newer");
          }
          lock(connection);
          Map<Integer, String> applied = scripts.applied(connection);
          List<Integer> now = new ArrayList<>();
          for (Scripts.Script script : scripts.all()) {
            String checksum = applied.remove(script.version());
            if (checksum != null && !checksum.equals(script.checksum())) {
              throw new ConfigurationException(
                  "script "
                      + script.version()
                      + " was applied with other content; schema '"
                      + settings.schema()
                      + "' is not this library's");
            }
            if (checksum == null) {
              try (Statement s = connection.createStatement()) {
                s.execute(script.sql());
              }
              scripts.record(connection, script);
              now.add(script.version());
            }
          }
          if (!applied.isEmpty()) {
            throw new ConfigurationException(
                "schema '"
                    + settings.schema()
                    + "' was made by a newer Semel (script "
                    + applied.keySet()
                    + "); use that version");
          }
          return now;
        });
  }

  private void lock(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(LOCK)) {
      s.setString(1, settings.schema());
      s.execute();
    }
  }

  @Override
  public List<String> problems() {
    return inTransaction(
        connection ->
            scripts.problems(connection).stream()
                .map(p -> p + "; run: semel schema apply --schema " + settings.schema())
                .toList());
  }

  @Override
  public void adopt(Adoption how, String who, String reason) {
    inTransaction(
        connection -> {
          lock(connection);
          if (tables.installation().read(connection).atHome()) {
            throw new ConfigurationException(
                "there is nothing to adopt: the database is where its schema was made");
          }
          UUID newId = how == Adoption.COPIED ? UUID.randomUUID() : null;
          tables.installation().adopt(connection, newId);
          int parked = newId == null ? 0 : tables.outbox().parkAll(connection, COPIED);
          tables
              .audit()
              .write(
                  connection,
                  who,
                  "schema adopt",
                  how.name().toLowerCase(java.util.Locale.ROOT),
                  reason,
                  newId == null
                      ? null
                      : "new installation id "
                          + newId
                          + ", "
                          + parked
                          + " messages of the outbox parked");
          return null;
        });
  }

  @Override
  public long importKeys(Import from, String who) {
    return new KeyImport(settings, tables).run(from, who);
  }

  /** Work in a transaction of its own. */
  @FunctionalInterface
  interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private <T> T inTransaction(Work<T> work) {
    return inTransaction(settings, work);
  }

  static <T> T inTransaction(Settings settings, Work<T> work) {
    SessionHolder holder =
        new SessionHolder(() -> Session.open(settings.dataSource(), settings.statementTimeout()));
    try {
      Connection connection = holder.get().connection();
      T result = work.in(connection);
      connection.commit();
      return result;
    } catch (SQLException e) {
      throw translated(settings, e);
    } finally {
      holder.release();
    }
  }

  private static RuntimeException translated(Settings settings, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (state.equals("42501")) {
      return new ConfigurationException(
          "the user has not the rights (" + e.getMessage() + "); run it as the owner", e);
    }
    if (state.startsWith("42") || state.equals("3F000")) {
      return new ConfigurationException(
          e.getMessage() + "; run: semel schema apply --schema " + settings.schema(), e);
    }
    return new UnavailableException("the database could not be asked: " + e.getMessage(), e);
  }
}
