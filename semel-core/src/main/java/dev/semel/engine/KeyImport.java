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
    long imported =
        SchemaTool.inTransaction(settings, reader -> importAll(reader, source, from.consumer()));
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
                  imported + " keys for " + from.consumer());
          return null;
        });
    return imported;
  }

  /**
   * Reads the table once, through a cursor; each batch is written in a transaction of its own, so
   * that its locks are held for a moment only.
   */
  private long importAll(Connection reader, String source, String consumer) throws SQLException {
    long imported = 0;
    try (PreparedStatement s = reader.prepareStatement(source)) {
      s.setFetchSize(BATCH);
      try (ResultSet r = s.executeQuery()) {
        Map<String, Long> keys;
        while (!(keys = nextBatch(r)).isEmpty()) {
          imported += importBatch(consumer, keys);
        }
      }
    } catch (SQLException e) {
      // Missing, not a time, not allowed, not convertible: of the user's table, not of ours.
      if (String.valueOf(e.getSQLState()).matches("(42|22|3F).*")) {
        throw new ConfigurationException("cannot import: " + e.getMessage(), e);
      }
      throw e;
    }
    return imported;
  }

  /** The keys of the next rows, as a claim would store them; empty at the end of the table. */
  private static Map<String, Long> nextBatch(ResultSet rows) throws SQLException {
    Map<String, Long> keys = new LinkedHashMap<>();
    while (keys.size() < BATCH && rows.next()) {
      String key = storedKey(rows.getString(1));
      long at = rows.getLong(2);
      if (rows.wasNull()) {
        at = System.currentTimeMillis();
      }
      if (key != null) {
        keys.merge(key, at, Math::max);
      }
    }
    return keys;
  }

  private int importBatch(String consumer, Map<String, Long> keys) {
    int imported = 0;
    while (true) {
      Batch batch = SchemaTool.inTransaction(settings, c -> tryBatch(c, consumer, keys));
      imported += batch.imported();
      if (!batch.busy()) {
        return imported;
      }
      pause();
    }
  }

  /**
   * How many were new. Busy: somebody applies one of the keys now (and may roll back), or the slots
   * took a turn; the batch is to be done again.
   */
  private record Batch(int imported, boolean busy) {}

  private static void pause() {
    try {
      Thread.sleep(BUSY_PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("the import was interrupted; run it again", e);
    }
  }

  private static String source(Schema.Import from) {
    String id = quoted(from.idColumn(), "--id-column");
    String at = from.atColumn() == null ? "NULL" : "t." + quoted(from.atColumn(), "--at-column");
    StringBuilder table = new StringBuilder();
    for (String part : from.table().split("\\.", -1)) {
      table.append(table.length() == 0 ? "" : ".").append(quoted(part, "--from"));
    }
    String millis =
        from.atColumn() == null
            ? "NULL::bigint"
            : "CASE WHEN isfinite(%1$s) THEN (extract(epoch FROM %1$s) * 1000)::bigint END"
                .formatted(at);
    return "SELECT t.%s::text, %s FROM %s t WHERE t.%1$s IS NOT NULL".formatted(id, millis, table);
  }

  private static String quoted(String name, String option) {
    if (!NAME.matcher(name).matches()) {
      throw new ConfigurationException(option + " '" + name + "' is not a plain name");
    }
    return '"' + name + '"';
  }

  private Batch tryBatch(Connection connection, String consumer, Map<String, Long> keys)
      throws SQLException {
    List<String> ids = new ArrayList<>(keys.keySet());
    List<Long> millis = new ArrayList<>(keys.values());
    Claims.Scope scope = tables.installation().scope(connection, consumer);
    ProcessedMessages.Locked locked = tables.processed().lock(connection, scope.keys(), ids);
    if (locked.keys().size() < ids.size()) {
      return new Batch(0, true);
    }
    int imported = tables.processed().importKeys(connection, locked.turn(), consumer, ids, millis);
    return new Batch(imported, tables.processed().turn(connection) != locked.turn());
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
