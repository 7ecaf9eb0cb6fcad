package dev.semel.engine;

import dev.semel.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The list of start checks. The first ones guard the later ones, so the first failure ends it. */
final class StartChecks {

  static final int OLDEST_POSTGRES = 14;

  /** The tables that a runtime role has rights on; missing ones are the next check's business. */
  private static final List<String> TABLES =
      List.of(
          "schema_version",
          "installation",
          "processed_messages_0",
          "processed_messages_1",
          "processed_messages_2",
          "slots",
          "parked_messages",
          "started",
          "book_entries",
          "consumers",
          "workers",
          "audit",
          "outbox",
          "outbox_sent",
          "relays",
          "relay_shards",
          "paused_destinations");

  private static final int LOCK_SHARE = 8;

  private final Settings settings;
  private final Tables tables;
  private final Scripts scripts;

  StartChecks(Settings settings, Tables tables) {
    this.settings = settings;
    this.tables = tables;
    this.scripts = new Scripts(settings.schema());
  }

  /** What keeps a worker with so many locks at once from running; empty if nothing does. */
  List<String> failures(Connection connection, int ownLocks) throws SQLException {
    List<StartCheck> checks = new ArrayList<>(database());
    checks.add(
        new StartCheck(
            "lock-budget",
            c -> lockBudget(c, ownLocks),
            "use fewer lanes or a smaller batch, or raise max_locks_per_transaction"));
    for (StartCheck check : checks) {
      String failure = check.failure(connection);
      if (failure != null) {
        return List.of(failure);
      }
    }
    return List.of();
  }

  /** Those that ask the database alone. */
  private List<StartCheck> database() {
    String schema = settings.schema();
    return List.of(
        new StartCheck(
            "postgres-version",
            StartChecks::version,
            "use PostgreSQL " + OLDEST_POSTGRES + " or newer"),
        new StartCheck(
            "primary",
            c -> isTrue(c, "SELECT pg_is_in_recovery()") ? "the server is a replica" : null,
            "point the data source at the primary"),
        new StartCheck(
            "rights",
            this::missingRights,
            "run as the owner what this prints: semel schema print --grants ROLE"),
        new StartCheck(
            "schema",
            c -> {
              List<String> problems = scripts.problems(c);
              return problems.isEmpty() ? null : String.join("; ", problems);
            },
            "run: semel schema apply --schema " + schema),
        new StartCheck(
            "installation",
            c ->
                tables.installation().read(c).atHome()
                    ? null
                    : "this database was restored, copied or moved from another cluster",
            "run: semel schema adopt --moved (it took the original's place) or --copied"));
  }

  private static @Nullable String version(Connection connection) throws SQLException {
    int major = connection.getMetaData().getDatabaseMajorVersion();
    return major < OLDEST_POSTGRES ? "the server is PostgreSQL " + major : null;
  }

  private static boolean isTrue(Connection connection, String sql) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(sql);
        ResultSet r = s.executeQuery()) {
      return r.next() && r.getBoolean(1);
    }
  }

  private @Nullable String missingRights(Connection connection) throws SQLException {
    try (PreparedStatement s =
        connection.prepareStatement(
            """
            SELECT string_agg(t.relname, ', ' ORDER BY t.relname)
              FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
             WHERE n.nspname = ? AND t.relname = ANY (?)
               AND NOT (has_schema_privilege(n.oid, 'USAGE')
                        AND has_table_privilege(t.oid, 'SELECT')
                        AND has_table_privilege(t.oid, 'INSERT')
                        AND has_table_privilege(t.oid, 'UPDATE')
                        AND has_table_privilege(t.oid, 'DELETE'))
            """)) {
      s.setString(1, settings.schema());
      s.setArray(2, connection.createArrayOf("text", TABLES.toArray()));
      try (ResultSet r = s.executeQuery()) {
        r.next();
        String tables = r.getString(1);
        return tables == null
            ? null
            : "user '" + connection.getMetaData().getUserName() + "' lacks rights on " + tables;
      }
    }
  }

  private @Nullable String lockBudget(Connection connection, int own) throws SQLException {
    Workers.Locks locks = tables.workers().locks(connection);
    long wanted = locks.wanted() + own;
    long share = locks.room() / LOCK_SHARE;
    return wanted <= share
        ? null
        : "lanes × batch of all live workers are "
            + wanted
            + ", over "
            + share
            + ", an eighth of the server's room for locks";
  }
}
