package dev.semel.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables {@code processed_messages_0…2} and {@code slots}: every statement of a claim, each
 * whole and named, and the mapping of its rows.
 *
 * <p>Several statements of one string travel in one round trip; each has a snapshot of its own,
 * which is what the claim relies on.
 */
final class ProcessedMessages {

  /** SQLSTATE of the guard trigger. */
  static final String GUARD_STATE = "SE001";

  private static final int SLOTS = 3;
  private static final int BEGIN_RESULTS = 3;

  /**
   * First in a transaction of the engine: nothing that a role or a handler has set applies to us.
   */
  private static final String BEGIN =
      """
      RESET ROLE;
      SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE;
      SELECT set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true),
             set_config('idle_in_transaction_session_timeout', ?, true),
             set_config('semel.guard', 'on', true);
      """;

  /** Plans are cached and outlive the size that a table had: every read is by an index. */
  private static final String BY_INDEX = "SELECT set_config('enable_seqscan', 'off', true)";

  /**
   * Step 1 of a claim. Try-locks never wait, so no order of keys can deadlock. Plans of the claim
   * are cached and outlive the size that a slot had when they were made (a slot is empty after its
   * turn), so they must be index probes always: hence no sequential scans, until step 2 gives them
   * back.
   */
  private static final String LOCK =
      """
      SELECT current_setting('enable_seqscan'), set_config('enable_seqscan', 'off', true),
             (SELECT turn FROM ${schema}.slots);
      SELECT array_agg(t.n) FILTER (WHERE NOT t.locked)
        FROM (SELECT k.n, pg_try_advisory_xact_lock(hashtextextended(k.id, ?)) AS locked
                FROM unnest(?::text[]) WITH ORDINALITY AS k(id, n)) t
      """;

  /**
   * Step 2 of a claim, for the slots of one turn. {@code own} is false inside a savepoint. The
   * looks are scalar subqueries, which are probes of an index in every plan; as anti-joins, a slot
   * that was not analysed yet was read whole. Names of keys travel back only if some were not new.
   */
  private static final String INSERT =
      """
      WITH i AS (
      INSERT INTO ${schema}.processed_messages_${current} AS c (consumer, message_id, fingerprint, processed_at)
      SELECT ?, k.id, k.fingerprint, clock_timestamp()
        FROM unnest(?::text[], ?::bytea[], ?::bigint[]${keys}, ${schema}.slots s
       WHERE s.turn = ?
         AND (k.stamp IS NULL
              OR to_timestamp(k.stamp / 1000.0) >= s.dropped_before + make_interval(secs => ?))
         AND (SELECT 1 FROM ${schema}.processed_messages_${previous} p
               WHERE p.consumer = ? AND p.message_id = k.id) IS NULL
         ${looks}
      ON CONFLICT DO NOTHING
      RETURNING c.message_id, c.xmin = pg_current_xact_id()::xid AS own)
      SELECT count(*), CASE WHEN count(*) < ? THEN array_agg(i.message_id) END, coalesce(bool_and(i.own), true),
             (SELECT turn FROM ${schema}.slots), pg_current_xact_id_if_assigned()::text,
             set_config('enable_seqscan', ?, true)
        FROM i
      """;

  private static final String KEYS = ") AS k(id, fingerprint, stamp)";

  /** A parked key is not run from the broker. */
  private static final String NOT_PARKED =
      """
      AND (SELECT 1 FROM ${schema}.parked_messages q
               WHERE q.consumer = ? AND q.message_id = k.id LIMIT 1) IS NULL
      """;

  private static final String ORDERED_KEYS =
      ", ?::text[]) AS k(id, fingerprint, stamp, ordering_key)";

  /** Nor is one whose ordering key has a message that waits. */
  private static final String NONE_BEFORE =
      """
         AND (k.ordering_key IS NULL
              OR (SELECT 1 FROM ${schema}.parked_messages o
                   WHERE o.consumer = ? AND o.ordering_key = k.ordering_key AND o.state = 'waiting'
                   LIMIT 1) IS NULL)
      """;

  /** Whether the age fence keeps a message out. */
  private static final String TOO_OLD =
      """
      SELECT to_timestamp(? / 1000.0) < dropped_before + make_interval(secs => ?) FROM ${schema}.slots
      """;

  /** What is known of keys that were not new. */
  private static final String LOOK =
      """
      SELECT set_config('enable_seqscan', 'off', true);
      SELECT message_id, fingerprint, false AS parked FROM ${schema}.processed_messages_${current}
       WHERE consumer = ? AND message_id = ANY (?)
      UNION ALL
      SELECT message_id, fingerprint, false FROM ${schema}.processed_messages_${previous}
       WHERE consumer = ? AND message_id = ANY (?)
      UNION ALL
      SELECT message_id, fingerprint, true FROM ${schema}.parked_messages
       WHERE consumer = ? AND message_id = ANY (?);
      SELECT set_config('enable_seqscan', ?, true)
      """;

  /** Takes back keys of this very transaction whose messages were not run after all. */
  private static final String UNCLAIM =
      """
      RESET ROLE;
      DELETE FROM ${schema}.processed_messages_${current} WHERE consumer = ? AND message_id = ANY (?)
      """;

  private static final String FORGET =
      """
      DELETE FROM ${schema}.processed_messages_${current} WHERE consumer = ? AND message_id = ?
      """;

  /**
   * Last before the commit. Fails in an aborted transaction; gives NULL, and does not satisfy the
   * guard, in one that is not ours.
   */
  private static final String VERIFY =
      """
      RESET ROLE;
      SELECT CASE WHEN pg_current_xact_id_if_assigned()::text = ?
                  THEN set_config('semel.verified', ?, true) END
      """;

  /** The same for a transaction of the caller, which has no guard: the key must still be there. */
  private static final String STILL_HELD =
      """
      SELECT 1 FROM ${schema}.processed_messages_${current}
       WHERE consumer = ? AND message_id = ? AND pg_current_xact_id_if_assigned()::text = ?
      """;

  /** Keys of a hand-written table; an imported key equals every message that has it. */
  static final String IMPORT =
      """
      INSERT INTO ${schema}.processed_messages_${current} (consumer, message_id, fingerprint, processed_at)
      SELECT ?, k.id, ''::bytea, to_timestamp(k.at / 1000.0)
        FROM unnest(?::text[], ?::bigint[]) AS k(id, at), ${schema}.slots s
       WHERE s.turn = ?
         AND NOT EXISTS (SELECT FROM ${schema}.processed_messages_${previous} p
                          WHERE p.consumer = ? AND p.message_id = k.id)
      ON CONFLICT DO NOTHING
      """;

  private static final String TURN = "SELECT turn FROM ${schema}.slots";

  private final String turn;
  private final String begin;
  private final String lock;
  private final String verify;
  private final String tooOld;
  private final String[] insert;
  private final String[] insertOrdered;
  private final String[] insertParked;
  private final String[] look;
  private final String[] unclaim;
  private final String[] forget;
  private final String[] stillHeld;
  private final String[] importKeys;

  ProcessedMessages(String schema) {
    turn = TURN.replace("${schema}", schema);
    begin = BEGIN;
    lock = LOCK.replace("${schema}", schema);
    verify = VERIFY;
    tooOld = TOO_OLD.replace("${schema}", schema);
    insert = forEachTurn(insertWith(KEYS, NOT_PARKED), schema);
    insertOrdered = forEachTurn(insertWith(ORDERED_KEYS, NOT_PARKED + NONE_BEFORE), schema);
    insertParked = forEachTurn(insertWith(KEYS, ""), schema);
    look = forEachTurn(LOOK, schema);
    unclaim = forEachTurn(UNCLAIM, schema);
    forget = forEachTurn(FORGET, schema);
    stillHeld = forEachTurn(STILL_HELD, schema);
    importKeys = forEachTurn(IMPORT, schema);
  }

  private static String insertWith(String keys, String looks) {
    return INSERT.replace("${keys}", keys).replace("${looks}", looks.strip());
  }

  private static String[] forEachTurn(String sql, String schema) {
    String[] variants = new String[SLOTS];
    for (int current = 0; current < SLOTS; current++) {
      variants[current] =
          sql.replace("${schema}", schema)
              .replace("${current}", Integer.toString(current))
              .replace("${previous}", Integer.toString((current + 2) % SLOTS));
    }
    return variants;
  }

  private static String of(String[] variants, long turn) {
    return variants[(int) (turn % SLOTS)];
  }

  /** What step 1 returned: which of the asked keys are ours now. */
  record Locked(Set<String> keys, long turn, String sequentialScans) {}

  /** What step 2 returned. */
  record Inserted(Set<String> keys, boolean insideSavepoint, long turn, @Nullable String xid) {}

  /** One row that is known of a key. */
  record Known(byte[] fingerprint, boolean parked) {}

  /** One key of step 2. */
  record Key(
      String id, byte[] fingerprint, @Nullable Instant stamp, @Nullable String orderingKey) {}

  /** Where the messages of a claim come from, which decides what they are looked up in. */
  enum From {
    SOURCE,
    ORDERED_SOURCE,
    PARKING
  }

  /** Begins a transaction of the engine and locks keys, in one round trip. */
  Locked beginAndLock(Connection connection, Timeouts timeouts, long scope, List<String> keys)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(begin + lock)) {
      s.setString(1, timeouts.lock());
      s.setString(2, timeouts.statement());
      s.setString(3, timeouts.idle());
      return locked(s, 4, BEGIN_RESULTS, scope, keys);
    }
  }

  /** Begins a transaction of the engine in which nothing is claimed and no handler runs. */
  void begin(Connection connection, Timeouts timeouts) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(begin + BY_INDEX)) {
      s.setString(1, timeouts.lock());
      s.setString(2, timeouts.statement());
      s.setString(3, timeouts.idle());
      s.execute();
    }
  }

  /** After a handler, which may have set a role. */
  void resetRole(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement("RESET ROLE")) {
      s.execute();
    }
  }

  /** Locks keys in a transaction that has begun. */
  Locked lock(Connection connection, long scope, List<String> keys) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(lock)) {
      return locked(s, 1, 0, scope, keys);
    }
  }

  private static Locked locked(
      PreparedStatement s, int first, int resultsBefore, long scope, List<String> keys)
      throws SQLException {
    s.setLong(first, scope);
    s.setArray(first + 1, s.getConnection().createArrayOf("text", keys.toArray(String[]::new)));
    s.execute();
    for (int i = 0; i < resultsBefore; i++) {
      s.getMoreResults();
    }
    long turn;
    String mode;
    try (ResultSet r = s.getResultSet()) {
      r.next();
      mode = r.getString(1);
      turn = r.getLong(3);
      if (r.wasNull()) {
        throw new SQLException("semel: the table slots is empty; run: semel schema validate");
      }
    }
    s.getMoreResults();
    Set<String> locked = new HashSet<>(keys);
    try (ResultSet r = s.getResultSet()) {
      r.next();
      java.sql.Array busy = r.getArray(1);
      if (busy != null) {
        for (Long n : (Long[]) busy.getArray()) {
          locked.remove(keys.get(n.intValue() - 1));
        }
      }
    }
    return new Locked(locked, turn, mode);
  }

  /** Step 2: the new ones among locked keys go into the current slot. */
  Inserted insert(
      Connection connection,
      Locked locked,
      String consumer,
      From from,
      List<Key> keys,
      Duration tolerance)
      throws SQLException {
    String[] variants =
        switch (from) {
          case SOURCE -> insert;
          case ORDERED_SOURCE -> insertOrdered;
          case PARKING -> insertParked;
        };
    try (PreparedStatement s = connection.prepareStatement(of(variants, locked.turn()))) {
      int n = 1;
      s.setString(n++, consumer);
      s.setArray(n++, texts(connection, keys.stream().map(Key::id)));
      s.setArray(
          n++,
          connection.createArrayOf(
              "bytea", keys.stream().map(Key::fingerprint).toArray(byte[][]::new)));
      s.setArray(n++, connection.createArrayOf("int8", stamps(keys)));
      if (from == From.ORDERED_SOURCE) {
        s.setArray(n++, texts(connection, keys.stream().map(Key::orderingKey)));
      }
      s.setLong(n++, locked.turn());
      s.setDouble(n++, tolerance.toMillis() / 1000.0);
      s.setString(n++, consumer);
      if (from != From.PARKING) {
        s.setString(n++, consumer);
      }
      if (from == From.ORDERED_SOURCE) {
        s.setString(n++, consumer);
      }
      s.setLong(n++, keys.size());
      s.setString(n, locked.sequentialScans());
      try (ResultSet r = s.executeQuery()) {
        r.next();
        Set<String> inserted = new HashSet<>();
        if (r.getLong(1) == keys.size()) {
          keys.forEach(k -> inserted.add(k.id()));
        } else if (r.getArray(2) != null) {
          inserted.addAll(List.of((String[]) r.getArray(2).getArray()));
        }
        return new Inserted(inserted, !r.getBoolean(3), r.getLong(4), r.getString(5));
      }
    }
  }

  private static java.sql.Array texts(Connection connection, Stream<String> texts)
      throws SQLException {
    return connection.createArrayOf("text", texts.toArray(String[]::new));
  }

  /** Whether a message with this stamp cannot be proved new. */
  boolean tooOld(Connection connection, @Nullable Instant stamp, Duration tolerance)
      throws SQLException {
    if (stamp == null) {
      return false;
    }
    try (PreparedStatement s = connection.prepareStatement(tooOld)) {
      s.setLong(1, stamp.toEpochMilli());
      s.setDouble(2, tolerance.toMillis() / 1000.0);
      try (ResultSet r = s.executeQuery()) {
        return r.next() && r.getBoolean(1);
      }
    }
  }

  private static Object[] stamps(List<Key> keys) {
    return keys.stream()
        .map(k -> k.stamp() == null ? null : k.stamp().toEpochMilli())
        .toArray(Long[]::new);
  }

  /** What is known of locked keys that were not new. */
  Map<String, List<Known>> look(
      Connection connection, Locked locked, String consumer, List<String> keys)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(of(look, locked.turn()))) {
      java.sql.Array ids = connection.createArrayOf("text", keys.toArray(String[]::new));
      for (int i = 0; i < SLOTS; i++) {
        s.setString(2 * i + 1, consumer);
        s.setArray(2 * i + 2, ids);
      }
      s.setString(7, locked.sequentialScans());
      s.execute();
      s.getMoreResults();
      Map<String, List<Known>> known = new HashMap<>();
      try (ResultSet r = s.getResultSet()) {
        while (r.next()) {
          known
              .computeIfAbsent(r.getString(1), k -> new ArrayList<>(1))
              .add(new Known(r.getBytes(2), r.getBoolean(3)));
        }
      }
      return known;
    }
  }

  /** Takes back claims of this transaction. */
  void unclaim(Connection connection, long turn, String consumer, List<String> keys)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(of(unclaim, turn))) {
      s.setString(1, consumer);
      s.setArray(2, connection.createArrayOf("text", keys.toArray(String[]::new)));
      s.execute();
    }
  }

  /** Takes back the claim of a caller's transaction, whose role is the caller's. */
  void forget(Connection connection, long turn, String consumer, String key) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(of(forget, turn))) {
      s.setString(1, consumer);
      s.setString(2, key);
      s.executeUpdate();
    }
  }

  /** Satisfies the guard; false if the transaction is not the one that claimed. */
  boolean verify(Connection connection, String xid) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(verify)) {
      s.setString(1, xid);
      s.setString(2, xid);
      s.execute();
      s.getMoreResults();
      try (ResultSet r = s.getResultSet()) {
        return r.next() && r.getString(1) != null;
      }
    }
  }

  /** Whether a caller's transaction still holds its key. */
  boolean stillHeld(Connection connection, long turn, String consumer, String key, String xid)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(of(stillHeld, turn))) {
      s.setString(1, consumer);
      s.setString(2, key);
      s.setString(3, xid);
      try (ResultSet r = s.executeQuery()) {
        return r.next();
      }
    }
  }

  /** The turn of this moment. */
  long turn(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(turn);
        ResultSet r = s.executeQuery()) {
      r.next();
      return r.getLong(1);
    }
  }

  /** Stores imported keys; gives how many were new. */
  int importKeys(
      Connection connection, long turn, String consumer, List<String> keys, List<Long> millis)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(of(importKeys, turn))) {
      s.setString(1, consumer);
      s.setArray(2, connection.createArrayOf("text", keys.toArray(String[]::new)));
      s.setArray(3, connection.createArrayOf("int8", millis.toArray()));
      s.setLong(4, turn);
      s.setString(5, consumer);
      return s.executeUpdate();
    }
  }
}
