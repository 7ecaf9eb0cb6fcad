package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The tables {@code relays} and {@code relay_shards}: who reads which shard of the outbox. */
final class RelayShards {

  static final int COUNT = 64;

  private static final String RENEW =
      """
      UPDATE ${schema}.relay_shards SET lease_until = clock_timestamp() + ? * interval '1 millisecond'
       WHERE relay = ? RETURNING shard
      """;

  private static final String LIVES =
      """
      INSERT INTO ${schema}.relays AS r (id, lease_until)
      VALUES (?, clock_timestamp() + ? * interval '1 millisecond')
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
      """;

  /** Relays that live. One whose lease is over may be frozen: then it has no share. */
  private static final String RELAYS =
      """
      SELECT count(*) FROM ${schema}.relays r
       WHERE r.lease_until >= clock_timestamp()
         AND NOT EXISTS (SELECT FROM ${schema}.workers w
                          WHERE w.id = r.id AND w.ending IS NOT NULL)
      """;

  private static final String ENDS =
      """
      DELETE FROM ${schema}.relays r
       WHERE r.id = ? OR r.lease_until < clock_timestamp() - interval '1 hour'
      """;

  /** Those of a relay that has ended need not be waited for. */
  private static final String TAKE =
      """
      UPDATE ${schema}.relay_shards s
         SET relay = ?, lease_until = clock_timestamp() + ? * interval '1 millisecond'
        FROM (SELECT f.shard FROM ${schema}.relay_shards f
               WHERE f.relay IS NULL OR f.lease_until < clock_timestamp()
                  OR NOT EXISTS (SELECT FROM ${schema}.workers w
                                  WHERE w.id = f.relay AND w.ending IS NULL)
               ORDER BY f.shard LIMIT ? FOR UPDATE OF f SKIP LOCKED) free
       WHERE s.shard = free.shard RETURNING s.shard
      """;

  private static final String GIVE_BACK =
      """
      UPDATE ${schema}.relay_shards SET relay = NULL, lease_until = NULL
       WHERE relay = ? AND shard = ANY (?)
      """;

  private final String renew;
  private final String lives;
  private final String relays;
  private final String ends;
  private final String take;
  private final String giveBack;

  RelayShards(String schema) {
    renew = RENEW.replace("${schema}", schema);
    lives = LIVES.replace("${schema}", schema);
    relays = RELAYS.replace("${schema}", schema);
    ends = ENDS.replace("${schema}", schema);
    take = TAKE.replace("${schema}", schema);
    giveBack = GIVE_BACK.replace("${schema}", schema);
  }

  /** Renews what this relay has still, and says what that is. */
  List<Integer> renew(Connection connection, UUID relay, Duration lease) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(lives)) {
      s.setObject(1, relay);
      s.setLong(2, lease.toMillis());
      s.executeUpdate();
    }
    try (PreparedStatement s = connection.prepareStatement(renew)) {
      s.setLong(1, lease.toMillis());
      s.setObject(2, relay);
      return shards(s);
    }
  }

  /** How many shards a relay may have: its share among those that live. */
  int share(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(relays);
        ResultSet r = s.executeQuery()) {
      r.next();
      int live = Math.max(1, r.getInt(1));
      return (COUNT + live - 1) / live;
    }
  }

  /** The relay lives no more. */
  void end(Connection connection, UUID relay) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(ends)) {
      s.setObject(1, relay);
      s.executeUpdate();
    }
  }

  List<Integer> take(Connection connection, UUID relay, Duration lease, int most)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(take)) {
      s.setObject(1, relay);
      s.setLong(2, lease.toMillis());
      s.setInt(3, most);
      return shards(s);
    }
  }

  private static List<Integer> shards(PreparedStatement s) throws SQLException {
    List<Integer> shards = new ArrayList<>();
    try (ResultSet r = s.executeQuery()) {
      while (r.next()) {
        shards.add(r.getInt(1));
      }
    }
    return shards;
  }

  void giveBack(Connection connection, UUID relay, Collection<Integer> shards) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(giveBack)) {
      s.setObject(1, relay);
      s.setArray(2, connection.createArrayOf("int4", shards.toArray()));
      s.executeUpdate();
    }
  }
}
