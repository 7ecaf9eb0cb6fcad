package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The table {@code started}: what lanes are about to run while some of it may have killed a process
 * before. One row for each lane, overwritten by its next such batch.
 */
final class Started {

  /**
   * Keys, locked by this transaction, that stand in the row of another lane: their run cannot be
   * alive, since it would hold the lock.
   */
  private static final String DIED =
      """
      SELECT DISTINCT k.key FROM ${schema}.started r, unnest(r.keys) AS k(key)
       WHERE r.consumer = ? AND r.keys && ?::text[] AND k.key = ANY (?::text[])
         AND (r.worker, r.lane) IS DISTINCT FROM (?, ?)
      """;

  /** Whether some run of the consumer has died of late and its messages are not all seen to. */
  private static final String ANY_DIED =
      """
      SELECT EXISTS (SELECT FROM ${schema}.started r JOIN ${schema}.workers w ON w.id = r.worker
                      WHERE r.consumer = ? AND r.keys <> '{}' AND w.ending = 'lost'
                        AND r.since > clock_timestamp() - interval '10 minutes')
      """;

  private static final String WRITE =
      """
      INSERT INTO ${schema}.started AS r (consumer, worker, lane, keys) VALUES (?, ?, ?, ?)
      ON CONFLICT (consumer, worker, lane)
      DO UPDATE SET keys = excluded.keys, since = clock_timestamp()
      """;

  private static final String EMPTY =
      """
      RESET ROLE;
      UPDATE ${schema}.started SET keys = '{}' WHERE consumer = ? AND worker = ? AND lane = ?
      """;

  private static final String END = "DELETE FROM ${schema}.started WHERE worker = ?";

  /**
   * Rows of workers that have ended, once nothing can come back for them: every key is processed or
   * parked, or so long ago that the age fence has it. Scalar subqueries are probes of an index in
   * every plan; as anti-joins they may read all keys.
   */
  private static final String CLEAN =
      """
      DELETE FROM ${schema}.started r USING ${schema}.workers w
       WHERE w.id = r.worker AND w.ending IS NOT NULL
         AND (r.since < clock_timestamp() - interval '7 days'
              OR NOT EXISTS (
                SELECT FROM unnest(r.keys) AS k(key)
                 WHERE (SELECT 1 FROM ${schema}.processed_messages p
                         WHERE p.consumer = r.consumer AND p.message_id = k.key LIMIT 1) IS NULL
                   AND (SELECT 1 FROM ${schema}.parked_messages q
                         WHERE q.consumer = r.consumer AND q.message_id = k.key LIMIT 1) IS NULL))
      """;

  private final String died;
  private final String anyDied;
  private final String write;
  private final String empty;
  private final String end;
  private final String clean;

  Started(String schema) {
    died = DIED.replace("${schema}", schema);
    anyDied = ANY_DIED.replace("${schema}", schema);
    write = WRITE.replace("${schema}", schema);
    empty = EMPTY.replace("${schema}", schema);
    end = END.replace("${schema}", schema);
    clean = CLEAN.replace("${schema}", schema);
  }

  /** Whose row it is. */
  record Runner(String consumer, UUID worker, int lane) {}

  /** Which of these locked keys were in a run that died. */
  Set<String> died(Connection connection, Runner runner, List<String> keys) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(died)) {
      java.sql.Array asked = connection.createArrayOf("text", keys.toArray(String[]::new));
      s.setString(1, runner.consumer());
      s.setArray(2, asked);
      s.setArray(3, asked);
      s.setObject(4, runner.worker());
      s.setInt(5, runner.lane());
      Set<String> found = new HashSet<>();
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          found.add(r.getString(1));
        }
      }
      return found;
    }
  }

  boolean anyDied(Connection connection, String consumer) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(anyDied)) {
      s.setString(1, consumer);
      try (ResultSet r = s.executeQuery()) {
        return r.next() && r.getBoolean(1);
      }
    }
  }

  void write(Connection connection, Runner runner, List<String> keys) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(write)) {
      s.setString(1, runner.consumer());
      s.setObject(2, runner.worker());
      s.setInt(3, runner.lane());
      s.setArray(4, connection.createArrayOf("text", keys.toArray(String[]::new)));
      s.executeUpdate();
    }
  }

  void empty(Connection connection, Runner runner) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(empty)) {
      s.setString(1, runner.consumer());
      s.setObject(2, runner.worker());
      s.setInt(3, runner.lane());
      s.execute();
    }
  }

  void end(Connection connection, UUID worker) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(end)) {
      s.setObject(1, worker);
      s.executeUpdate();
    }
  }

  void clean(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(clean)) {
      s.executeUpdate();
    }
  }
}
