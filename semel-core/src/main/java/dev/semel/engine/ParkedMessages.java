package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.ParkedMessage;
import dev.semel.Selection;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code parked_messages}: every statement of the engine on it, each whole and named, and
 * the mapping of its rows. Each row that comes or goes is booked in the same statement.
 */
final class ParkedMessages {

  /** Adds to an account of the books, from what the statement before it has changed. */
  static final String BOOK =
      """
      INSERT INTO ${schema}.book_entries AS b (consumer, account, shard, amount)
      SELECT x.consumer, ?, pg_backend_pid() % 4096, count(*) FROM x GROUP BY x.consumer
      ON CONFLICT (consumer, account, shard) DO UPDATE SET amount = b.amount + excluded.amount
      """;

  /** Bodies that are sent in one go. */
  private static final int MOST_BYTES = 8 * 1024 * 1024;

  private static final String VALUES =
      """
      INSERT INTO ${schema}.parked_messages AS q
        (id, consumer, message_id, fingerprint, ordering_key, priority, state, reason, attempts,
         alone, next_attempt_at, not_after, error_class, error_message, error_sqlstate, proved,
         properties, headers, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond',
              clock_timestamp() + ? * interval '1 millisecond', ?, ?, ?, ?, ?::json, ?::json, ?)
      """;

  /**
   * A row for a message whose key is locked and was looked at. An equal row is there already when a
   * copy was parked in flight, or when the answer to our own commit was lost (same id: nothing to
   * do).
   */
  private static final String INSERT =
      "WITH i AS ("
          + VALUES
          + """
      ON CONFLICT (consumer, message_id, fingerprint) DO UPDATE
        SET attempts = q.attempts + excluded.attempts,
            copies = q.copies + 1,
            proved = q.proved OR excluded.proved,
            alone = q.alone OR excluded.alone,
            state = CASE WHEN excluded.state = 'dead' THEN 'dead' ELSE q.state END,
            lease_token = CASE WHEN excluded.state = 'dead' THEN NULL ELSE q.lease_token END,
            lease_worker = CASE WHEN excluded.state = 'dead' THEN NULL ELSE q.lease_worker END,
            lease_until = CASE WHEN excluded.state = 'dead' THEN NULL ELSE q.lease_until END,
            reason = CASE WHEN q.state = 'waiting' THEN excluded.reason ELSE q.reason END,
            next_attempt_at = greatest(q.next_attempt_at, excluded.next_attempt_at),
            error_class = coalesce(excluded.error_class, q.error_class),
            error_message = coalesce(excluded.error_message, q.error_message),
            error_sqlstate = coalesce(excluded.error_sqlstate, q.error_sqlstate),
            last_seen = clock_timestamp()
        WHERE q.id <> excluded.id
      RETURNING q.consumer, q.xmax = 0 AS fresh),
      x AS (SELECT i.consumer FROM i WHERE i.fresh)
      """
          + BOOK;

  /** A row for a message without a key: nobody's copy. */
  private static final String INSERT_WITHOUT_KEY =
      "WITH x AS ("
          + VALUES
          + """
      ON CONFLICT (id) DO NOTHING RETURNING q.consumer)
      """
          + BOOK;

  /**
   * A row for a message whose key somebody else has locked. Waits for nobody: a row that is there
   * may be locked for as long as its handler runs, and then stands for this copy too.
   */
  private static final String INSERT_IN_FLIGHT =
      "WITH x AS (" + VALUES + "ON CONFLICT DO NOTHING RETURNING q.consumer)\n" + BOOK;

  /** Which of these are dead already, by their positions. */
  private static final String ALREADY_DEAD =
      """
      SELECT x.place
        FROM unnest(?::text[], ?::bytea[]) WITH ORDINALITY AS x(message_id, fingerprint, place)
        JOIN ${schema}.parked_messages q
          ON q.consumer = ? AND q.message_id = x.message_id AND q.fingerprint = x.fingerprint
         AND q.state = 'dead'
      """;

  /** A copy that is absorbed leaves a trace. */
  private static final String ABSORB =
      """
      UPDATE ${schema}.parked_messages SET copies = copies + 1, last_seen = clock_timestamp()
       WHERE consumer = ? AND message_id = ? AND fingerprint = ? AND id <> ?
      """;

  private static final String LEASED =
      """
      UPDATE ${schema}.parked_messages q
         SET lease_token = ?, lease_worker = ?, attempts = q.attempts + 1,
             lease_until = clock_timestamp() + ? * interval '1 millisecond'
      """;

  private static final String ROW =
      """
      RETURNING q.id, q.message_id, q.fingerprint, q.ordering_key, q.seq, q.attempts, q.deaths,
                q.alone, q.proved, q.not_after < clock_timestamp() AS expired,
                extract(epoch FROM clock_timestamp() - q.first_seen) AS age,
                q.properties::text, q.headers::text, q.body
      """;

  /**
   * Due rows without an order; {@code attempts = 0} for a batch, else one that has failed. A batch
   * ends at 8 MiB of bodies, which all are in memory at once.
   */
  static final String LEASE =
      LEASED
          + """
      FROM (SELECT c.id FROM (
              SELECT d.id, sum(d.bytes) OVER (ORDER BY d.place, d.id) - d.bytes AS bytes_before
                FROM (SELECT p.id, p.next_attempt_at AS place, octet_length(p.body) AS bytes
                        FROM ${schema}.parked_messages p
                       WHERE p.consumer = ? AND p.alone = ? AND (p.attempts = 0) = ?
                         AND p.state = 'waiting' AND p.ordering_key IS NULL AND p.lease_token IS NULL
                         AND p.next_attempt_at <= statement_timestamp()
                       ORDER BY p.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED) d) c
             WHERE c.bytes_before < 8388608) due
       WHERE q.id = due.id
      """
          + ROW;

  /** The due head of some ordering key: only the first waiting row of a key may run. */
  static final String LEASE_HEAD =
      """
      WITH RECURSIVE heads AS (
        (SELECT h.ordering_key, h.seq FROM ${schema}.parked_messages h
          WHERE h.consumer = ? AND h.state = 'waiting' AND h.ordering_key IS NOT NULL
          ORDER BY h.ordering_key, h.seq LIMIT 1)
        UNION ALL
        SELECT n.ordering_key, n.seq FROM heads, LATERAL
          (SELECT h.ordering_key, h.seq FROM ${schema}.parked_messages h
            WHERE h.consumer = ? AND h.state = 'waiting' AND h.ordering_key > heads.ordering_key
            ORDER BY h.ordering_key, h.seq LIMIT 1) n),
      due AS (
        SELECT d.id FROM heads, ${schema}.parked_messages d
         WHERE d.consumer = ? AND d.ordering_key = heads.ordering_key AND d.seq = heads.seq
           AND d.state = 'waiting' AND d.alone = ? AND d.lease_token IS NULL
           AND d.next_attempt_at <= statement_timestamp()
         ORDER BY d.next_attempt_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
      """
          + LEASED
          + """
      FROM due WHERE q.id = due.id
      """
          + ROW;

  /** Those behind a leased head of the same key that never failed: they run with it, in order. */
  static final String LEASE_FOLLOWERS =
      LEASED
          + """
      FROM (SELECT c.id FROM (
              SELECT d.id, sum(d.bytes) OVER (ORDER BY d.seq) - d.bytes AS bytes_before
                FROM (SELECT f.id, f.seq, octet_length(f.body) AS bytes
                        FROM ${schema}.parked_messages f
                       WHERE f.consumer = ? AND f.ordering_key = ? AND f.state = 'waiting'
                         AND f.seq > ?
                         AND f.seq < coalesce(
                           (SELECT min(b.seq) FROM ${schema}.parked_messages b
                             WHERE b.consumer = ? AND b.ordering_key = ? AND b.state = 'waiting'
                               AND b.seq > ?
                               AND (b.attempts > 0 OR b.deaths > 0 OR b.alone
                                    OR b.lease_token IS NOT NULL)),
                           9223372036854775807)
                       ORDER BY f.seq LIMIT ? FOR UPDATE SKIP LOCKED) d) c
             WHERE c.bytes_before < 8388608) due
       WHERE q.id = due.id
      """
          + ROW;

  /**
   * Leases that ran out, and whose holder is gone or has shown since that it lives. From the row
   * lock on a run cannot be taken over: its row is skipped.
   */
  static final String EXPIRED =
      """
      SELECT q.id, q.lease_token, q.message_id, q.attempts, q.deaths, q.alone,
             w.id IS NULL OR coalesce(w.ending = 'lost', false) AS died
        FROM ${schema}.parked_messages q LEFT JOIN ${schema}.workers w ON w.id = q.lease_worker
       WHERE q.consumer = ? AND q.lease_token IS NOT NULL AND q.state = 'waiting'
         AND (w.id IS NULL OR w.ending IS NOT NULL
              OR q.lease_until < statement_timestamp() AND w.seen_at > q.lease_until)
       LIMIT 100 FOR UPDATE OF q SKIP LOCKED
      """;

  /**
   * From here on nobody can take the row over, however long the handler runs. Waits for nobody; and
   * none is taken that has a waiting row of its ordering key before it, outside of this batch.
   */
  static final String LOCK_ROWS =
      """
      SELECT q.id FROM ${schema}.parked_messages q
       WHERE q.id = ANY (?) AND q.lease_token = ? AND q.state = 'waiting'
         AND (q.ordering_key IS NULL
              OR NOT EXISTS (SELECT FROM ${schema}.parked_messages e
                   WHERE e.consumer = q.consumer AND e.ordering_key = q.ordering_key
                     AND e.state = 'waiting' AND e.seq < q.seq AND e.id <> ALL (?)))
         FOR UPDATE OF q SKIP LOCKED
      """;

  /** The end of a lease that does not end with the row. */
  private static final String RELEASE =
      """
      UPDATE ${schema}.parked_messages
         SET lease_token = NULL, lease_worker = NULL, lease_until = NULL, last_seen = clock_timestamp(),
             state = ?, reason = ?, attempts = ?, deaths = ?, alone = ?,
             next_attempt_at = clock_timestamp() + ? * interval '1 millisecond',
             error_class = coalesce(?, error_class), error_message = coalesce(?, error_message),
             error_sqlstate = coalesce(?, error_sqlstate)
       WHERE id = ? AND lease_token = ?
      """;

  /** Given back as if it had never been leased. */
  private static final String GIVE_BACK =
      """
      UPDATE ${schema}.parked_messages
         SET lease_token = NULL, lease_worker = NULL, lease_until = NULL, attempts = attempts - 1,
             next_attempt_at = clock_timestamp() + ? * interval '1 millisecond'
       WHERE id IN (SELECT id FROM ${schema}.parked_messages
                     WHERE id = ANY (?) AND lease_token = ? FOR UPDATE SKIP LOCKED)
      """;

  /**
   * What else is parked under the key of a row that was applied is proved new no more; a row that
   * is locked is being run, and judged by that.
   */
  private static final String REMOVE =
      """
      WITH x AS (DELETE FROM ${schema}.parked_messages
                  WHERE id = ANY (?) AND lease_token = ? RETURNING id, consumer, message_id),
      u AS (UPDATE ${schema}.parked_messages SET proved = false
             WHERE id IN (SELECT q.id FROM x JOIN ${schema}.parked_messages q
                                        ON q.consumer = x.consumer AND q.message_id = x.message_id
                           WHERE q.id <> ALL (?) AND q.proved FOR UPDATE OF q SKIP LOCKED))
      """
          + BOOK;

  /** Ordering keys that have a waiting row: what comes now waits behind it. */
  private static final String WAITING_KEYS =
      """
      SELECT k.key FROM unnest(?::text[]) AS k(key)
       WHERE (SELECT 1 FROM ${schema}.parked_messages q
               WHERE q.consumer = ? AND q.ordering_key = k.key AND q.state = 'waiting' LIMIT 1) = 1
      """;

  /** What a lane wants to know now and then; counts no further than it must. */
  static final String STATE =
      """
      SELECT (SELECT count(*) FROM (SELECT FROM ${schema}.parked_messages
               WHERE consumer = ? AND state = 'waiting' AND lease_token IS NULL
               ORDER BY next_attempt_at LIMIT ?) l),
             EXISTS (SELECT FROM ${schema}.parked_messages a
               WHERE consumer = ? AND state = 'waiting' AND alone AND lease_token IS NULL
                 AND next_attempt_at <= statement_timestamp()
                 AND (ordering_key IS NULL
                      OR NOT EXISTS (SELECT FROM ${schema}.parked_messages e
                           WHERE e.consumer = a.consumer AND e.ordering_key = a.ordering_key
                             AND e.state = 'waiting' AND e.seq < a.seq))),
             (SELECT extract(epoch FROM min(next_attempt_at) - clock_timestamp())
                FROM ${schema}.parked_messages
               WHERE consumer = ? AND state = 'waiting' AND lease_token IS NULL
                 AND next_attempt_at > statement_timestamp())
      """;

  /**
   * For operators: which rows they mean. The conditions that are not given fall away in the plan.
   */
  private static final String SELECTED =
      """
       WHERE (?::uuid[] IS NULL OR q.id = ANY (?)) AND (?::text IS NULL OR q.consumer = ?)
         AND (?::text IS NULL OR q.state = ?) AND (?::text IS NULL OR strpos(q.reason, ?) > 0)
         AND (?::bigint IS NULL OR q.first_seen < clock_timestamp() - ? * interval '1 millisecond')
       ORDER BY q.seq LIMIT ?
      """;

  static final String LIST =
      """
      SELECT q.id, q.consumer, q.message_id, q.ordering_key, q.state, q.reason, q.attempts, q.deaths,
             q.copies, q.generation, coalesce(q.next_attempt_at, q.first_seen) AS next_attempt_at,
             q.error_class, q.error_message, q.error_sqlstate, q.first_seen, q.last_seen,
             q.lease_token IS NOT NULL AS running, octet_length(q.body) AS size
        FROM ${schema}.parked_messages q
      """
          + SELECTED;

  private static final String BYTES =
      """
      SELECT properties::text, headers::text, body FROM ${schema}.parked_messages WHERE id = ?
      """;

  /** One row for an operator; none if a worker runs it at this moment. */
  private static final String OPEN =
      """
      SELECT consumer, message_id, fingerprint, state, reason, generation, proved,
             lease_token IS NOT NULL, coalesce(lease_until < clock_timestamp(), false),
             properties::text, encode(sha256(body), 'hex')
        FROM ${schema}.parked_messages WHERE id = ? FOR UPDATE SKIP LOCKED
      """;

  private static final String EXISTS = "SELECT 1 FROM ${schema}.parked_messages WHERE id = ?";

  /** A dead row begins anew, at the end of its order; a waiting one is due. */
  private static final String REPLAY =
      """
      UPDATE ${schema}.parked_messages q
         SET message_id = ?, generation = ?, proved = ?, reason = ?,
             seq = CASE WHEN q.state = 'dead' THEN nextval('${schema}.parked_messages_seq') ELSE q.seq END,
             attempts = CASE WHEN q.state = 'dead' THEN 0 ELSE q.attempts END,
             deaths = CASE WHEN q.state = 'dead' THEN 0 ELSE q.deaths END,
             state = 'waiting', not_after = NULL, next_attempt_at = clock_timestamp()
       WHERE id = ?
      """;

  private static final String DISCARD =
      """
      WITH x AS (DELETE FROM ${schema}.parked_messages WHERE id = ? RETURNING consumer)
      """
          + BOOK;

  private static final String BOOKS =
      """
      SELECT consumer, parked, applied, duplicates, discarded, waiting, dead, off_by
        FROM ${schema}.books ORDER BY consumer
      """;

  private final String list;
  private final String bytes;
  private final String open;
  private final String exists;
  private final String replay;
  private final String discard;
  private final String books;
  private final String insert;
  private final String insertWithoutKey;
  private final String insertInFlight;
  private final String alreadyDead;
  private final String absorb;
  private final String lease;
  private final String leaseHead;
  private final String leaseFollowers;
  private final String expired;
  private final String lockRows;
  private final String release;
  private final String giveBack;
  private final String remove;
  private final String waitingKeys;
  private final String state;

  ParkedMessages(String schema) {
    list = LIST.replace("${schema}", schema);
    bytes = BYTES.replace("${schema}", schema);
    open = OPEN.replace("${schema}", schema);
    exists = EXISTS.replace("${schema}", schema);
    replay = REPLAY.replace("${schema}", schema);
    discard = DISCARD.replace("${schema}", schema);
    books = BOOKS.replace("${schema}", schema);
    insert = INSERT.replace("${schema}", schema);
    insertWithoutKey = INSERT_WITHOUT_KEY.replace("${schema}", schema);
    insertInFlight = INSERT_IN_FLIGHT.replace("${schema}", schema);
    alreadyDead = ALREADY_DEAD.replace("${schema}", schema);
    absorb = ABSORB.replace("${schema}", schema);
    lease = LEASE.replace("${schema}", schema);
    leaseHead = LEASE_HEAD.replace("${schema}", schema);
    leaseFollowers = LEASE_FOLLOWERS.replace("${schema}", schema);
    expired = EXPIRED.replace("${schema}", schema);
    lockRows = LOCK_ROWS.replace("${schema}", schema);
    release = RELEASE.replace("${schema}", schema);
    giveBack = GIVE_BACK.replace("${schema}", schema);
    remove = REMOVE.replace("${schema}", schema);
    waitingKeys = WAITING_KEYS.replace("${schema}", schema);
    state = STATE.replace("${schema}", schema);
  }

  /** How a message enters the table. */
  record Parking(
      String reason, boolean dead, int attempts, boolean alone, boolean proved, Duration pause) {

    /** What can never succeed. */
    static Parking dead(String reason, boolean proved) {
      return new Parking(reason, true, 0, false, proved, Duration.ZERO);
    }

    /** What failed, and is tried again or not. */
    static Parking failed(String reason, boolean dead, Duration pause) {
      return new Parking(reason, dead, 1, false, true, pause);
    }

    /** It was in a run that died. */
    static Parking moved() {
      return new Parking(Reasons.RUN_DIED, false, 0, true, true, Duration.ZERO);
    }

    /** The broker has taken it back before and may not do so again. */
    static Parking returned() {
      return new Parking(Reasons.RETURNED, false, 0, false, true, Duration.ZERO);
    }

    /** It waits for a message before it. */
    static Parking behind() {
      return new Parking(Reasons.BEHIND, false, 0, false, true, Duration.ZERO);
    }

    /** Somebody is at work on its key, and has been for some time. */
    static Parking inFlight(Duration pause) {
      return new Parking(Reasons.IN_FLIGHT, false, 0, false, false, pause);
    }
  }

  /** A message that is to be parked. */
  record Row(Entry entry, Parking parking, @Nullable Throwable error) {}

  /** A row that a lane of this worker may run. */
  record Lease(
      UUID id,
      UUID token,
      long seq,
      int attempts,
      int deaths,
      boolean alone,
      boolean expired,
      Duration age) {

    boolean neverFailed() {
      return attempts == 1 && deaths == 0 && !alone;
    }
  }

  /** A lease whose time is over. */
  record Expired(
      UUID id,
      UUID token,
      @Nullable String key,
      int attempts,
      int deaths,
      boolean alone,
      boolean died) {}

  /** What is waiting; {@code waiting} counts up to the limit that was asked with. */
  record State(long waiting, boolean aloneDue, @Nullable Duration nextDue) {}

  /** Inserts rows for locked keys, or for no keys. */
  void insert(Connection connection, String consumer, List<Row> rows) throws SQLException {
    List<Row> keyed = rows.stream().filter(r -> r.entry().key != null).toList();
    List<Row> others = rows.stream().filter(r -> r.entry().key == null).toList();
    insert(connection, insert, consumer, keyed);
    insert(connection, insertWithoutKey, consumer, others);
  }

  /**
   * Those of the rows that are dead in the table already, and those that come twice.
   *
   * @param rows for locked keys, or for no keys, which are never known
   */
  Set<Row> alreadyDead(Connection connection, String consumer, List<Row> rows) throws SQLException {
    List<Row> keyed = rows.stream().filter(r -> r.entry().key != null).toList();
    Set<Row> known = new HashSet<>();
    if (keyed.isEmpty()) {
      return known;
    }
    Set<List<Object>> seen = new HashSet<>();
    byte[][] fingerprints = new byte[keyed.size()][];
    for (int i = 0; i < fingerprints.length; i++) {
      Entry entry = keyed.get(i).entry();
      fingerprints[i] = entry.fingerprint;
      if (!seen.add(List.of(entry.key, ByteBuffer.wrap(entry.fingerprint)))) {
        known.add(keyed.get(i));
      }
    }
    try (PreparedStatement s = connection.prepareStatement(alreadyDead)) {
      s.setArray(
          1, connection.createArrayOf("text", keyed.stream().map(r -> r.entry().key).toArray()));
      s.setArray(2, connection.createArrayOf("bytea", fingerprints));
      s.setString(3, consumer);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          known.add(keyed.get(r.getInt(1) - 1));
        }
      }
    }
    return known;
  }

  void insertInFlight(Connection connection, String consumer, Row row) throws SQLException {
    insert(connection, insertInFlight, consumer, List.of(row));
  }

  private static void insert(Connection connection, String sql, String consumer, List<Row> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement s = connection.prepareStatement(sql)) {
      long bytes = 0;
      for (Row row : rows) {
        bytes += row.entry().message.size();
        if (bytes > MOST_BYTES) {
          s.executeBatch();
          bytes = row.entry().message.size();
        }
        Entry e = row.entry();
        Parking p = row.parking();
        Throwable error = row.error();
        s.setObject(1, e.parkingId());
        s.setString(2, consumer);
        s.setString(3, e.key);
        s.setBytes(4, e.fingerprint);
        s.setString(5, e.orderingKey);
        s.setInt(6, Texts.number(e.message.properties().get("priority")));
        s.setString(7, p.dead() ? "dead" : "waiting");
        s.setString(8, Texts.storable(p.reason()));
        s.setInt(9, p.attempts());
        s.setBoolean(10, p.alone());
        s.setLong(11, p.pause().toMillis());
        s.setObject(
            12, Texts.millis(e.message.properties().get("expiration")), java.sql.Types.BIGINT);
        setError(s, 13, error);
        s.setBoolean(16, p.proved());
        s.setString(17, Envelope.properties(e.message));
        s.setString(18, Envelope.headers(e.message));
        s.setBytes(19, e.message.body());
        s.setString(20, Books.PARKED);
        s.addBatch();
      }
      s.executeBatch();
    }
  }

  private static void setError(PreparedStatement s, int at, @Nullable Throwable error)
      throws SQLException {
    s.setString(at, error == null ? null : error.getClass().getName());
    s.setString(at + 1, error == null ? null : Texts.storable(String.valueOf(error.getMessage())));
    s.setString(at + 2, error == null ? null : SqlErrors.stateOf(error));
  }

  void absorb(Connection connection, String consumer, Entry entry) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(absorb)) {
      s.setString(1, consumer);
      s.setString(2, entry.key);
      s.setBytes(3, entry.fingerprint);
      s.setObject(4, entry.parkingId());
      s.execute();
    }
  }

  /** Leases due rows that have no order: a batch of those that never failed, or one that has. */
  List<Entry> lease(
      Connection connection,
      Consumer consumer,
      Holder holder,
      boolean alone,
      boolean fresh,
      int most)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(lease)) {
      holder.set(s, 1);
      s.setString(4, consumer.name());
      s.setBoolean(5, alone);
      s.setBoolean(6, fresh);
      s.setInt(7, most);
      return leased(s, holder);
    }
  }

  /** Leases the due head of an ordering key and, if it never failed, those behind it. */
  List<Entry> leaseHead(
      Connection connection, Consumer consumer, Holder holder, boolean alone, int most)
      throws SQLException {
    List<Entry> entries;
    try (PreparedStatement s = connection.prepareStatement(leaseHead)) {
      s.setString(1, consumer.name());
      s.setString(2, consumer.name());
      s.setString(3, consumer.name());
      s.setBoolean(4, alone);
      holder.set(s, 5);
      entries = leased(s, holder);
    }
    if (entries.isEmpty() || !entries.get(0).lease.neverFailed() || most == 1) {
      return entries;
    }
    Entry head = entries.get(0);
    try (PreparedStatement s = connection.prepareStatement(leaseFollowers)) {
      holder.set(s, 1);
      for (int i = 4; i <= 7; i += 3) {
        s.setString(i, consumer.name());
        s.setString(i + 1, head.orderingKey);
        s.setLong(i + 2, head.lease.seq());
      }
      s.setInt(10, most - 1);
      entries.addAll(leased(s, holder));
    }
    entries.sort(java.util.Comparator.comparingLong(e -> e.lease.seq()));
    return entries;
  }

  /** Who leases, and for how long. */
  record Holder(UUID token, UUID worker, Duration length) {

    void set(PreparedStatement s, int at) throws SQLException {
      s.setObject(at, token);
      s.setObject(at + 1, worker);
      s.setLong(at + 2, length.toMillis());
    }
  }

  private static List<Entry> leased(PreparedStatement s, Holder holder) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet r = s.executeQuery()) {
      while (r.next()) {
        Lease lease =
            new Lease(
                r.getObject("id", UUID.class),
                holder.token(),
                r.getLong("seq"),
                r.getInt("attempts"),
                r.getInt("deaths"),
                r.getBoolean("alone"),
                r.getBoolean("expired"),
                Duration.ofMillis((long) (1000 * r.getDouble("age"))));
        entries.add(entry(r, lease));
      }
    }
    return entries;
  }

  private static Entry entry(ResultSet r, Lease lease) throws SQLException {
    byte[] body = r.getBytes("body");
    Message message;
    String key = r.getString("message_id");
    String unusable = key == null ? Reasons.NO_KEY : null;
    try {
      message = Envelope.message(r.getString("properties"), r.getString("headers"), body);
    } catch (RuntimeException e) {
      // Edited by hand, then: it must not stop the rows behind it.
      message = Message.builder().body(body).build();
      unusable = "headers or properties cannot be read: " + e;
    }
    return Entry.ofParked(
        message,
        lease,
        unusable == null ? key : null,
        unusable,
        r.getBytes("fingerprint"),
        r.getString("ordering_key"),
        r.getBoolean("proved"));
  }

  List<Expired> expired(Connection connection, String consumer) throws SQLException {
    List<Expired> all = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(expired)) {
      s.setString(1, consumer);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          all.add(
              new Expired(
                  r.getObject(1, UUID.class),
                  r.getObject(2, UUID.class),
                  r.getString(3),
                  r.getInt(4),
                  r.getInt(5),
                  r.getBoolean(6),
                  r.getBoolean(7)));
        }
      }
    }
    return all;
  }

  /** Locks leased rows; gives those that are still leased to this lane. */
  Set<UUID> lockRows(Connection connection, UUID token, List<UUID> ids) throws SQLException {
    Set<UUID> locked = new HashSet<>();
    try (PreparedStatement s = connection.prepareStatement(lockRows)) {
      java.sql.Array asked = connection.createArrayOf("uuid", ids.toArray());
      s.setArray(1, asked);
      s.setObject(2, token);
      s.setArray(3, asked);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          locked.add(r.getObject(1, UUID.class));
        }
      }
    }
    return locked;
  }

  /** What a row is like when its lease ends. */
  record Released(
      boolean dead, String reason, int attempts, int deaths, boolean alone, Duration pause) {}

  /** False if the row is leased to somebody else by now, or gone. */
  boolean release(
      Connection connection, UUID id, UUID token, Released to, @Nullable Throwable error)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(release)) {
      s.setString(1, to.dead() ? "dead" : "waiting");
      s.setString(2, Texts.storable(to.reason()));
      s.setInt(3, to.attempts());
      s.setInt(4, to.deaths());
      s.setBoolean(5, to.alone());
      s.setLong(6, to.pause().toMillis());
      setError(s, 7, error);
      s.setObject(10, id);
      s.setObject(11, token);
      return s.executeUpdate() == 1;
    }
  }

  /** Gives leases back; no attempt is counted. */
  void giveBack(Connection connection, UUID token, List<UUID> ids, Duration pause)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(giveBack)) {
      s.setLong(1, pause.toMillis());
      s.setArray(2, connection.createArrayOf("uuid", ids.toArray()));
      s.setObject(3, token);
      s.execute();
    }
  }

  /** Removes leased rows, booked under an account. */
  void remove(Connection connection, UUID token, List<UUID> ids, String account)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(remove)) {
      s.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
      s.setObject(2, token);
      s.setArray(3, connection.createArrayOf("uuid", ids.toArray()));
      s.setString(4, account);
      s.execute();
    }
  }

  Set<String> waitingKeys(Connection connection, String consumer, List<String> orderingKeys)
      throws SQLException {
    Set<String> waiting = new HashSet<>();
    if (!orderingKeys.isEmpty()) {
      try (PreparedStatement s = connection.prepareStatement(waitingKeys)) {
        s.setArray(1, connection.createArrayOf("text", orderingKeys.toArray(String[]::new)));
        s.setString(2, consumer);
        try (ResultSet r = s.executeQuery()) {
          while (r.next()) {
            waiting.add(r.getString(1));
          }
        }
      }
    }
    return waiting;
  }

  State state(Connection connection, String consumer, int limit) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(state)) {
      s.setString(1, consumer);
      s.setInt(2, limit);
      s.setString(3, consumer);
      s.setString(4, consumer);
      try (ResultSet r = s.executeQuery()) {
        r.next();
        double seconds = r.getDouble(3);
        return new State(
            r.getLong(1),
            r.getBoolean(2),
            r.wasNull() ? null : Duration.ofMillis((long) Math.ceil(1000 * seconds)));
      }
    }
  }

  /** Rows without their bytes. */
  List<ParkedMessage> list(Connection connection, Selection which) throws SQLException {
    List<ParkedMessage> rows = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(list)) {
      java.sql.Array ids =
          which.ids().isEmpty() ? null : connection.createArrayOf("uuid", which.ids().toArray());
      Long age = which.olderThan() == null ? null : which.olderThan().toMillis();
      for (int i = 0; i < 2; i++) {
        s.setArray(1 + i, ids);
        s.setString(3 + i, which.consumer());
        s.setString(5 + i, which.state());
        s.setString(7 + i, which.reason());
        s.setObject(9 + i, age, java.sql.Types.BIGINT);
      }
      s.setInt(11, which.limit());
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          rows.add(
              new ParkedMessage(
                  r.getObject("id", UUID.class),
                  r.getString("consumer"),
                  r.getString("message_id"),
                  r.getString("ordering_key"),
                  r.getString("state"),
                  r.getString("reason"),
                  r.getInt("attempts"),
                  r.getInt("deaths"),
                  r.getInt("copies"),
                  r.getInt("generation"),
                  r.getTimestamp("next_attempt_at").toInstant(),
                  r.getString("error_class"),
                  r.getString("error_message"),
                  r.getString("error_sqlstate"),
                  r.getTimestamp("first_seen").toInstant(),
                  r.getTimestamp("last_seen").toInstant(),
                  r.getBoolean("running"),
                  r.getInt("size")));
        }
      }
    }
    return rows;
  }

  /** The message of a row; null if there is none. */
  @Nullable Message message(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(bytes)) {
      s.setObject(1, id);
      try (ResultSet r = s.executeQuery()) {
        return r.next() ? Envelope.message(r.getString(1), r.getString(2), r.getBytes(3)) : null;
      }
    }
  }

  /**
   * A row in the hand of an operator, locked.
   *
   * @param leaseOver its lease has run out: whoever had it does not run it any more
   */
  record Open(
      String consumer,
      @Nullable String key,
      byte[] fingerprint,
      String state,
      String reason,
      int generation,
      boolean proved,
      boolean leased,
      boolean leaseOver,
      String properties,
      String bodyHash) {}

  /** Locks a row for an operator; null if it is gone, or locked by its run. */
  @Nullable Open open(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(open)) {
      s.setObject(1, id);
      try (ResultSet r = s.executeQuery()) {
        return r.next()
            ? new Open(
                r.getString(1),
                r.getString(2),
                r.getBytes(3),
                r.getString(4),
                r.getString(5),
                r.getInt(6),
                r.getBoolean(7),
                r.getBoolean(8),
                r.getBoolean(9),
                r.getString(10),
                r.getString(11))
            : null;
      }
    }
  }

  boolean exists(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(exists)) {
      s.setObject(1, id);
      try (ResultSet r = s.executeQuery()) {
        return r.next();
      }
    }
  }

  void replay(
      Connection connection, UUID id, String key, int generation, boolean proved, String reason)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(replay)) {
      s.setString(1, key);
      s.setInt(2, generation);
      s.setBoolean(3, proved);
      s.setString(4, Texts.storable(reason));
      s.setObject(5, id);
      s.executeUpdate();
    }
  }

  void discard(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(discard)) {
      s.setObject(1, id);
      s.setString(2, Books.DISCARDED);
      s.executeUpdate();
    }
  }

  List<dev.semel.Parking.Books> books(Connection connection) throws SQLException {
    List<dev.semel.Parking.Books> all = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(books);
        ResultSet r = s.executeQuery()) {
      while (r.next()) {
        all.add(
            new dev.semel.Parking.Books(
                r.getString(1),
                r.getLong(2),
                r.getLong(3),
                r.getLong(4),
                r.getLong(5),
                r.getLong(6),
                r.getLong(7),
                r.getLong(8)));
      }
    }
    return all;
  }
}
