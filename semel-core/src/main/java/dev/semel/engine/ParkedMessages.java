package dev.semel.engine;

import dev.semel.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code parked_messages}. */
final class ParkedMessages {

  /**
   * A row for a message whose key is locked and was looked at (or that has no key). An equal row is
   * there already when a copy comes, or when the answer to our own commit was lost.
   */
  private static final String INSERT =
      """
      INSERT INTO ${schema}.parked_messages AS q
        (id, consumer, message_id, fingerprint, ordering_key, priority, state, reason,
         error_class, error_message, error_sqlstate, proved, properties, headers, body)
      VALUES (?, ?, ?, ?, ?, ?, 'dead', ?, ?, ?, ?, ?, ?::json, ?::json, ?)
      ON CONFLICT DO NOTHING
      """;

  /** A copy that is absorbed leaves a trace. */
  private static final String ABSORB =
      """
      UPDATE ${schema}.parked_messages SET copies = copies + 1, last_seen = clock_timestamp()
       WHERE consumer = ? AND message_id = ? AND fingerprint = ? AND id <> ?
      """;

  private final String insert;
  private final String absorb;

  ParkedMessages(String schema) {
    insert = INSERT.replace("${schema}", schema);
    absorb = ABSORB.replace("${schema}", schema);
  }

  /**
   * Rows for what a claim found unusable (no key, conflict, too old), and a trace for copies of
   * rows that are there already; in the transaction of that claim.
   */
  void insertUnusable(
      Connection connection, String consumer, List<Entry> entries, List<@Nullable Outcome> outcomes)
      throws SQLException {
    List<Row> rows = new ArrayList<>();
    List<Entry> copies = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      Entry entry = entries.get(i);
      Outcome outcome = outcomes.get(i);
      if (outcome instanceof Outcome.Conflict) {
        rows.add(new Row(entry, Reasons.CONFLICT, null, false));
      } else if (outcome instanceof Outcome.TooOld) {
        rows.add(new Row(entry, Reasons.TOO_OLD, null, false));
      } else if (outcome instanceof Outcome.Parked why) {
        if (entry.key == null) {
          rows.add(new Row(entry, why.reason(), null, false));
        } else {
          copies.add(entry);
        }
      }
    }
    if (!rows.isEmpty()) {
      insertDead(connection, consumer, rows);
    }
    // After the rows, since a copy may be of one of them.
    for (Entry copy : copies) {
      absorb(connection, consumer, copy);
    }
  }

  /** A message that is to be parked, and why. */
  record Row(Entry entry, String reason, @Nullable Throwable error, boolean proved) {}

  void insertDead(Connection connection, String consumer, List<Row> rows) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(insert)) {
      for (Row row : rows) {
        Entry e = row.entry();
        s.setObject(1, e.parkingId());
        s.setString(2, consumer);
        s.setString(3, e.key);
        s.setBytes(4, e.fingerprint);
        s.setString(5, e.orderingKey == null ? null : Texts.storable(e.orderingKey));
        s.setInt(6, Texts.number(e.message.properties().get("priority")));
        s.setString(7, Texts.storable(row.reason()));
        Throwable error = row.error();
        s.setString(8, error == null ? null : error.getClass().getName());
        s.setString(9, error == null ? null : Texts.storable(String.valueOf(error.getMessage())));
        s.setString(10, error == null ? null : SqlErrors.stateOf(error));
        s.setBoolean(11, row.proved());
        s.setString(12, Envelope.properties(e.message));
        s.setString(13, Envelope.headers(e.message));
        s.setBytes(14, e.message.body());
        s.addBatch();
      }
      s.executeBatch();
    }
  }

  void absorb(Connection connection, String consumer, Entry entry) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(absorb)) {
      s.setString(1, consumer);
      s.setString(2, entry.key);
      s.setBytes(3, entry.fingerprint);
      s.setObject(4, entry.parkingId());
      s.executeUpdate();
    }
  }
}
