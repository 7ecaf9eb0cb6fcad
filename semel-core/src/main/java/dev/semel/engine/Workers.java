package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code workers}; every time in it is the database's. */
final class Workers {

  private static final String BEGIN =
      """
      INSERT INTO ${schema}.workers (id, host, version, roles, lanes, batch, locks, process)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String BEAT =
      """
      UPDATE ${schema}.workers SET seen_at = clock_timestamp(), ended_at = NULL, ending = NULL WHERE id = ?
      """;

  private static final String MARK_LOST =
      """
      UPDATE ${schema}.workers SET ended_at = clock_timestamp(), ending = 'lost'
       WHERE ending IS NULL AND seen_at < clock_timestamp() - interval '30 seconds'
      """;

  /** Other live workers of this machine, whose processes can be looked for. */
  private static final String NEIGHBOURS =
      """
      SELECT id, process FROM ${schema}.workers
       WHERE ending IS NULL AND id <> ? AND starts_with(process, ?)
      """;

  private static final String LOST =
      """
      UPDATE ${schema}.workers SET ended_at = clock_timestamp(), ending = 'lost'
       WHERE id = ? AND ending IS NULL
      """;

  private static final String END =
      """
      UPDATE ${schema}.workers SET ended_at = clock_timestamp(), ending = 'clean' WHERE id = ?
      """;

  /** Locks that live workers may hold at once, beside room for all locks of the server. */
  private static final String LOCKS =
      """
      SELECT coalesce(sum(w.locks), 0), 2 * current_setting('max_locks_per_transaction')::bigint
             * (current_setting('max_connections')::bigint
                + current_setting('max_prepared_transactions')::bigint)
        FROM ${schema}.workers w
       WHERE w.ending IS NULL AND w.seen_at > clock_timestamp() - interval '30 seconds'
      """;

  /** One write that is always rolled back: can this database be written now? */
  private static final String PROBE =
      """
      INSERT INTO ${schema}.workers (id, host, version, roles, lanes, batch, locks)
      VALUES (gen_random_uuid(), 'probe', '', '{}', 0, 0, 0)
      """;

  private final String begin;
  private final String beat;
  private final String markLost;
  private final String neighbours;
  private final String lost;
  private final String end;
  private final String locks;
  private final String probe;

  Workers(String schema) {
    begin = BEGIN.replace("${schema}", schema);
    beat = BEAT.replace("${schema}", schema);
    markLost = MARK_LOST.replace("${schema}", schema);
    neighbours = NEIGHBOURS.replace("${schema}", schema);
    lost = LOST.replace("${schema}", schema);
    end = END.replace("${schema}", schema);
    locks = LOCKS.replace("${schema}", schema);
    probe = PROBE.replace("${schema}", schema);
  }

  /** A worker's row. */
  record Row(
      UUID id,
      String host,
      String version,
      String[] roles,
      int lanes,
      int batch,
      int locks,
      @Nullable String process) {}

  /** Locks in use at most, and room for locks, in the whole server. */
  record Locks(long wanted, long room) {}

  void begin(Connection connection, Row row) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(begin)) {
      s.setObject(1, row.id());
      s.setString(2, row.host());
      s.setString(3, row.version());
      s.setArray(4, connection.createArrayOf("text", row.roles()));
      s.setInt(5, row.lanes());
      s.setInt(6, row.batch());
      s.setInt(7, row.locks());
      s.setString(8, row.process());
      s.executeUpdate();
    }
  }

  void beat(Connection connection, UUID id) throws SQLException {
    update(connection, beat, id);
  }

  /**
   * Marks workers whose process is seen to have ended and, if wanted, those that have been silent
   * for long.
   */
  void markLost(Connection connection, UUID self, boolean bySilence) throws SQLException {
    if (bySilence) {
      try (PreparedStatement s = connection.prepareStatement(markLost)) {
        s.executeUpdate();
      }
    }
    String machine = ProcessMark.ofMachine();
    if (machine == null) {
      return;
    }
    List<UUID> gone = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(neighbours)) {
      s.setObject(1, self);
      s.setString(2, machine);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          if (ProcessMark.hasEnded(r.getString(2))) {
            gone.add(r.getObject(1, UUID.class));
          }
        }
      }
    }
    for (UUID id : gone) {
      update(connection, lost, id);
    }
  }

  void end(Connection connection, UUID id) throws SQLException {
    update(connection, end, id);
  }

  private static void update(Connection connection, String sql, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(sql)) {
      s.setObject(1, id);
      s.executeUpdate();
    }
  }

  Locks locks(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(locks);
        ResultSet r = s.executeQuery()) {
      r.next();
      return new Locks(r.getLong(1), r.getLong(2));
    }
  }

  void probe(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(probe)) {
      s.executeUpdate();
    }
  }
}
