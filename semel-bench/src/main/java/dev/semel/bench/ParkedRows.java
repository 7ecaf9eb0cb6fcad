package dev.semel.bench;

import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Rows of {@code semel.parked_messages} as failures leave them, with their entry in the books. */
final class ParkedRows {

  /** Half dead; half waiting, for what does not come in the time of a bench. */
  private static final String INSERT =
      """
      WITH x AS (
        INSERT INTO semel.parked_messages
          (id, consumer, message_id, fingerprint, state, reason, attempts, next_attempt_at,
           error_class, error_message, proved, properties, headers, body)
        SELECT gen_random_uuid(), ?, gen_random_uuid()::text, sha256(n::text::bytea),
               CASE n % 2 WHEN 0 THEN 'dead' ELSE 'waiting' END,
               'handler failed',
               CASE n % 2 WHEN 0 THEN 10 ELSE 1 END,
               clock_timestamp() + CASE n % 2 WHEN 0 THEN 0 ELSE 365 END * interval '1 day',
               'java.lang.IllegalStateException', 'out of stock', true,
               '{"content-type":"application/json"}', '{}',
               convert_to(rpad('{"payment":' || n || '}', ?), 'UTF8')
          FROM generate_series(1, ?) AS n
        RETURNING consumer)
      INSERT INTO semel.book_entries (consumer, account, shard, amount)
      SELECT x.consumer, 'parked', 0, count(*) FROM x GROUP BY x.consumer
      """;

  private static final String COUNT =
      "SELECT coalesce(sum(parked), 0), coalesce(sum(waiting + dead), 0) FROM semel.books";

  private ParkedRows() {}

  static void insert(TestDatabase database, int rows) throws SQLException {
    try (Connection connection = database.ownerDataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, SemelConsuming.CONSUMER);
      statement.setInt(2, Backlog.BODY_BYTES);
      statement.setInt(3, rows);
      statement.executeUpdate();
    }
    database.executeAsOwner("ANALYZE semel.parked_messages, semel.book_entries");
  }

  /**
   * What the books tell.
   *
   * @param ever messages that were parked at any time
   * @param now rows that are there
   */
  record Count(long ever, long now) {}

  static Count count(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Count(row.getLong(1), row.getLong(2));
    }
  }
}
