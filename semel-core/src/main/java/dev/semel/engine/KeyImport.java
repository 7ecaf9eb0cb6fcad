package dev.semel.engine;

import dev.semel.BadIdentityException;
import dev.semel.ConfigurationException;
import dev.semel.Consumer;
import dev.semel.Identity;
import dev.semel.Message;
import dev.semel.Schema;
import dev.semel.Settings;
import dev.semel.UnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes over the keys of a hand-written table. */
final class KeyImport {

  /** Also the number of locks held at once. */
  private static final int BATCH = 500;

  private static final long BUSY_PAUSE_MILLIS = 20;
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*");

  private final Settings settings;
  private final Tables tables;

  KeyImport(Settings settings, Tables tables) {
    this.settings = settings;
    this.tables = tables;
  }

  long run(Schema.Import from, String who) {
    Consumer.named(from.consumer());
    String source = source(from);
    long imported = 0;
    String after = null;
    while (true) {
      String last = after;
      Batch batch = SchemaTool.inTransaction(settings, c -> importAfter(c, source, from, last));
      imported += batch.imported();
      if (batch.busy()) {
        pause();
        continue;
      }
      if (batch.last() == null) {
        break;
      }
      after = batch.last();
    }
    long total = imported;
    SchemaTool.inTransaction(
        settings,
        c -> {
          tables
              .audit()
              .write(
                  c,
                  who,
                  "schema import",
                  from.table(),
                  "take-over",
                  total + " keys for " + from.consumer());
          return null;
        });
    return imported;
  }

  /**
   * How many were new, and the last key read, null if there was nothing left. Busy: somebody
   * applies one of the keys now (and may roll back), or the slots took a turn; the batch is to be
   * done again.
   */
  private record Batch(int imported, @Nullable String last, boolean busy) {}

  private static void pause() {
    try {
      Thread.sleep(BUSY_PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("the import was interrupted; run it again", e);
    }
  }

  /**
   * Read in the order of the key, so that it can go on after a batch without a cursor held open.
   */
  private static String source(Schema.Import from) {
    String id = quoted(from.idColumn(), "--id-column");
    String at =
        from.atColumn() == null ? "NULL::timestamptz" : quoted(from.atColumn(), "--at-column");
    StringBuilder table = new StringBuilder();
    for (String part : from.table().split("\\.", -1)) {
      table.append(table.length() == 0 ? "" : ".").append(quoted(part, "--from"));
    }
    return "SELECT k.id, max(CASE WHEN isfinite(k.at) THEN (extract(epoch FROM k.at) * 1000)::bigint END)"
        + " FROM (SELECT t."
        + id
        + "::text COLLATE \"C\" AS id, "
        + (from.atColumn() == null ? at : "t." + at)
        + " AS at FROM "
        + table
        + " t) k WHERE k.id IS NOT NULL AND (?::text IS NULL OR k.id > ?) GROUP BY k.id ORDER BY k.id LIMIT "
        + BATCH;
  }

  private static String quoted(String name, String option) {
    if (!NAME.matcher(name).matches()) {
      throw new ConfigurationException(option + " '" + name + "' is not a plain name");
    }
    return '"' + name + '"';
  }

  private Batch importAfter(
      Connection connection, String sql, Schema.Import from, @Nullable String after)
      throws SQLException {
    Map<String, Long> keys = new LinkedHashMap<>();
    String last = null;
    try (PreparedStatement s = connection.prepareStatement(sql)) {
      s.setString(1, after);
      s.setString(2, after);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          last = r.getString(1);
          long at = r.getLong(2);
          if (r.wasNull()) {
            at = System.currentTimeMillis();
          }
          String key = storedKey(last);
          if (key != null) {
            keys.merge(key, at, Math::max);
          }
        }
      }
    } catch (SQLException e) {
      // Missing, not a time, not allowed, not convertible: of the user's table, not of ours.
      if (String.valueOf(e.getSQLState()).matches("(42|22|3F).*")) {
        throw new ConfigurationException("cannot import: " + e.getMessage(), e);
      }
      throw e;
    }
    if (keys.isEmpty()) {
      return new Batch(0, last, false);
    }
    List<String> ids = new ArrayList<>(keys.keySet());
    List<Long> millis = new ArrayList<>(keys.values());
    Claims.Scope scope = tables.installation().scope(connection, from.consumer());
    ProcessedMessages.Locked locked = tables.processed().lock(connection, scope.keys(), ids);
    if (locked.keys().size() < ids.size()) {
      return new Batch(0, last, true);
    }
    int imported =
        tables.processed().importKeys(connection, locked.turn(), from.consumer(), ids, millis);
    boolean turned = tables.processed().turn(connection) != locked.turn();
    return new Batch(imported, last, turned);
  }

  /** The key as a claim would store it; null for one that no message can have. */
  private static @Nullable String storedKey(String id) {
    try {
      return Identity.messageId().keyOf(Message.builder().id(id).build());
    } catch (BadIdentityException e) {
      return null;
    }
  }
}
