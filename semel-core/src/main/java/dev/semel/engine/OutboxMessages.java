package dev.semel.engine;

import dev.semel.BadOutgoingException;
import dev.semel.Outbox;
import dev.semel.Outgoing;
import dev.semel.Selection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The tables {@code outbox}, {@code outbox_sent}, {@code paused_destinations} and {@code
 * promise_entries}: every statement on them, each whole and named. All writes of a relay are by id
 * and revision, and only an operator raises the revision: so what a relay says of a row that it has
 * sent is true, or falls on nothing, whoever reads that row by now.
 */
final class OutboxMessages {

  /** Bodies that are sent or read in one go. */
  static final int MOST_BYTES = 8 * 1024 * 1024;

  /** The locks come first, so that ids are drawn in the order of the commits. */
  private static final String LOCK = "SELECT ${schema}.outbox_lock(VARIADIC ?::text[]);\n";

  /**
   * An equal id is there already when a message is run again as new while its promise waits: then
   * that is this promise.
   */
  private static final String INSERT =
      """
      INSERT INTO ${schema}.outbox (message_id, sent_as, ordering_key, destination, address,
                                    routing_key, type, content_type, headers, body, not_before)
      SELECT m.message_id, m.sent_as, m.ordering_key, m.destination, m.address,
             m.routing_key, m.type, m.content_type, m.headers::json, m.body, m.not_before
        FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                    ?::text[], ?::text[], ?::text[], ?::bytea[], ?::timestamptz[]) WITH ORDINALITY
          AS m (message_id, sent_as, ordering_key, destination, address,
                routing_key, type, content_type, headers, body, not_before, place)
       ORDER BY m.place
      ON CONFLICT (message_id) DO NOTHING
      """;

  private static final String ROW =
      """
      SELECT r.id, r.revision, r.message_id, r.shard, r.ordering_key, r.destination, r.address,
             r.routing_key, r.type, r.content_type, r.headers::text, r.body, r.not_before,
             r.created_at, r.attempts, r.due_at, r.sent_as
        FROM (SELECT b.*, sum(octet_length(b.body)) OVER (ORDER BY b.place)
                          - octet_length(b.body) AS bytes_before
                FROM (SELECT o.*, row_number() OVER () AS place FROM
      """;

  private static final String UP_TO_BYTES =
      """
                ) b) r
       WHERE r.bytes_before < 8388608 ORDER BY r.place
      """;

  /** Behind a row of its ordering key that is parked, or that waits, nobody leaves. */
  private static final String NOT_HELD =
      """
      (o.ordering_key IS NULL OR NOT EXISTS (SELECT FROM ${schema}.outbox h
          WHERE h.ordering_key = o.ordering_key AND h.destination = o.destination AND h.id < o.id
            AND (h.state = 'parked' OR h.due_at IS NOT NULL)))
      """;

  /** The next rows of each shard, from the place that a relay has come to. */
  static final String READ =
      ROW
          + """
      unnest(?::int[], ?::bigint[]) AS s(shard, place)
      CROSS JOIN LATERAL (SELECT * FROM ${schema}.outbox o
         WHERE o.destination = ? AND o.shard = s.shard AND o.id > s.place
           AND o.state = 'pending' AND o.due_at IS NULL AND
      """
          + NOT_HELD
          + """
         ORDER BY o.id LIMIT ?) o LIMIT ?
      """
          + UP_TO_BYTES;

  /** Rows whose time has come, and that are the first of their ordering key. */
  static final String READ_DUE =
      ROW
          + """
      unnest(?::int[]) AS s(shard)
      CROSS JOIN LATERAL (SELECT * FROM ${schema}.outbox o
         WHERE o.destination = ? AND o.shard = s.shard
           AND o.state = 'pending' AND o.due_at IS NOT NULL AND o.due_at <= statement_timestamp()
           AND o.id <> ALL (?::bigint[])
           AND (o.ordering_key IS NULL OR NOT EXISTS (SELECT FROM ${schema}.outbox h
                 WHERE h.ordering_key = o.ordering_key AND h.destination = o.destination
                   AND h.id < o.id))
         ORDER BY o.due_at LIMIT ?) o LIMIT ?
      """
          + UP_TO_BYTES;

  /**
   * The full look: is the destination stopped, is anything due, and which is the first row of each
   * shard that could leave now? Ids are drawn at the insert and seen at the commit, so it may be
   * behind any place that a relay has come to.
   */
  static final String LOOK =
      """
      SELECT EXISTS (SELECT FROM ${schema}.paused_destinations p WHERE p.name = ?) AS paused,
             EXISTS (SELECT FROM unnest(?::int[]) AS s(shard), LATERAL
               (SELECT 1 FROM ${schema}.outbox o
                 WHERE o.destination = ? AND o.shard = s.shard
                   AND o.state = 'pending' AND o.due_at IS NOT NULL
                   AND o.due_at <= statement_timestamp() LIMIT 1) d) AS due,
             b.shard, b.id
        FROM (SELECT 1) one LEFT JOIN LATERAL (
          SELECT s.shard, f.id FROM unnest(?::int[]) AS s(shard)
           CROSS JOIN LATERAL (SELECT o.id FROM ${schema}.outbox o
             WHERE o.destination = ? AND o.shard = s.shard
               AND o.state = 'pending' AND o.due_at IS NULL AND o.id <> ALL (?::bigint[]) AND
      """
          + NOT_HELD
          + """
             ORDER BY o.id LIMIT 1) f) b ON true
      """;

  private static final String GONE =
      """
      WITH gone AS (DELETE FROM ${schema}.outbox o
                     USING unnest(?::bigint[], ?::int[]) AS x(id, revision)
                     WHERE o.id = x.id AND o.revision = x.revision
                 RETURNING o.id, o.message_id, o.destination, o.type, o.ordering_key,
                           o.attempts + 1 AS attempts)
      """;

  /** Adds to the books what the statement before it has removed. */
  private static final String BOOK =
      """
      INSERT INTO ${schema}.promise_entries (destination, account, amount)
      SELECT g.destination, 'confirmed', count(*) FROM gone g GROUP BY g.destination
      RETURNING amount
      """;

  private static final String CONFIRMED = GONE + BOOK;

  private static final String CONFIRMED_AND_KEPT =
      GONE
          + """
      , kept AS (
        INSERT INTO ${schema}.outbox_sent (id, message_id, destination, type, ordering_key, attempts)
        SELECT g.id, g.message_id, g.destination, g.type, g.ordering_key, g.attempts FROM gone g
        ON CONFLICT (id) DO NOTHING)
      """
          + BOOK;

  /** One entry for an account instead of many. */
  private static final String ADD_UP =
      """
      WITH added AS (DELETE FROM ${schema}.promise_entries WHERE ctid = ANY (ARRAY(
                       SELECT e.ctid FROM ${schema}.promise_entries e
                        LIMIT 50000 FOR UPDATE SKIP LOCKED))
                     RETURNING destination, account, amount)
      INSERT INTO ${schema}.promise_entries (destination, account, amount)
      SELECT a.destination, a.account, sum(a.amount) FROM added a GROUP BY a.destination, a.account
      """;

  private static final String REFUSED =
      """
      UPDATE ${schema}.outbox o
         SET attempts = o.attempts + 1, last_error = x.error,
             state = CASE WHEN x.pause IS NULL THEN 'parked' ELSE 'pending' END,
             next_attempt_at = clock_timestamp() + x.pause * interval '1 millisecond'
        FROM unnest(?::bigint[], ?::int[], ?::bigint[], ?::text[]) AS x(id, revision, pause, error)
       WHERE o.id = x.id AND o.revision = x.revision AND o.state = 'pending'
      """;

  private static final String DROP_SENT =
      """
      DELETE FROM ${schema}.outbox_sent WHERE id IN
        (SELECT s.id FROM ${schema}.outbox_sent s
          WHERE s.sent_at < clock_timestamp() - ? * interval '1 millisecond'
          ORDER BY s.sent_at LIMIT 10000 FOR UPDATE SKIP LOCKED)
      """;

  /** For operators: which rows they mean. */
  static final String LIST =
      """
      SELECT q.message_id, q.destination, q.address, q.routing_key, q.type, q.ordering_key, q.state,
             q.attempts, q.last_error, q.created_at, q.due_at, octet_length(q.body) AS size,
             EXISTS (SELECT FROM ${schema}.paused_destinations p WHERE p.name = q.destination),
             q.id
        FROM ${schema}.outbox q
       WHERE (?::uuid[] IS NULL OR q.message_id = ANY (?))
         AND (?::text IS NULL OR q.destination = ?)
         AND (?::text IS NULL OR q.state = ?)
         AND (?::text IS NULL OR strpos(q.last_error, ?) > 0)
         AND (?::bigint IS NULL OR q.created_at < clock_timestamp() - ? * interval '1 millisecond')
       ORDER BY q.id LIMIT ?
      """;

  private static final String MESSAGE =
      ROW + "(SELECT * FROM ${schema}.outbox q WHERE q.message_id = ?) o" + UP_TO_BYTES;

  private static final String SENT =
      """
      SELECT s.message_id, s.destination, s.type, s.ordering_key, s.sent_at, s.attempts
        FROM ${schema}.outbox_sent s WHERE s.message_id = ?
      """;

  /** A relay that has it in hand at this moment speaks of the revision before. */
  private static final String RETRY =
      """
      UPDATE ${schema}.outbox
         SET state = 'pending', next_attempt_at = NULL, not_before = NULL, revision = revision + 1
       WHERE message_id = ? RETURNING destination, encode(sha256(body), 'hex')
      """;

  private static final String DISCARD =
      """
      WITH gone AS (DELETE FROM ${schema}.outbox WHERE message_id = ?
                 RETURNING destination, encode(sha256(body), 'hex') AS hash),
      book AS (INSERT INTO ${schema}.promise_entries (destination, account, amount)
               SELECT g.destination, 'discarded', 1 FROM gone g)
      SELECT g.destination, g.hash FROM gone g
      """;

  /** A copy of a database must not send what the original sends. */
  private static final String PARK_ALL =
      """
      UPDATE ${schema}.outbox SET state = 'parked', last_error = ?, revision = revision + 1
       WHERE state = 'pending'
      """;

  private static final String PAUSE =
      """
      INSERT INTO ${schema}.paused_destinations (name, paused_by, reason) VALUES (?, ?, ?)
      ON CONFLICT DO NOTHING
      """;

  private static final String RESUME = "DELETE FROM ${schema}.paused_destinations WHERE name = ?";

  private static final String BOOKS =
      """
      SELECT destination, written, confirmed, discarded, pending, parked, off_by
        FROM ${schema}.promise_books ORDER BY destination
      """;

  private static final String NOTIFY = "NOTIFY ${channel}";

  private final String lock;
  private final String insert;
  private final String read;
  private final String readDue;
  private final String look;
  private final String confirmed;
  private final String confirmedAndKept;
  private final String refused;
  private final String addUp;
  private final String dropSent;
  private final String books;
  private final String list;
  private final String message;
  private final String sent;
  private final String retry;
  private final String discard;
  private final String parkAll;
  private final String pause;
  private final String resume;
  private final String notify;
  private final String channel;

  OutboxMessages(String schema) {
    lock = LOCK.replace("${schema}", schema);
    insert = INSERT.replace("${schema}", schema);
    read = READ.replace("${schema}", schema);
    readDue = READ_DUE.replace("${schema}", schema);
    look = LOOK.replace("${schema}", schema);
    confirmed = CONFIRMED.replace("${schema}", schema);
    confirmedAndKept = CONFIRMED_AND_KEPT.replace("${schema}", schema);
    refused = REFUSED.replace("${schema}", schema);
    addUp = ADD_UP.replace("${schema}", schema);
    books = BOOKS.replace("${schema}", schema);
    dropSent = DROP_SENT.replace("${schema}", schema);
    list = LIST.replace("${schema}", schema);
    message = MESSAGE.replace("${schema}", schema);
    sent = SENT.replace("${schema}", schema);
    retry = RETRY.replace("${schema}", schema);
    discard = DISCARD.replace("${schema}", schema);
    parkAll = PARK_ALL.replace("${schema}", schema);
    pause = PAUSE.replace("${schema}", schema);
    resume = RESUME.replace("${schema}", schema);
    channel = schema + "_outbox";
    notify = NOTIFY.replace("${channel}", channel);
  }

  /** The channel of {@code NOTIFY} on which relays hear of new rows. */
  String channel() {
    return channel;
  }

  /**
   * A message with its id.
   *
   * @param sentAs the id under which it leaves, where that is another one
   */
  record New(UUID id, @Nullable String sentAs, Outgoing message, String headers) {

    private static final int MOST_HEADER_BYTES = 64 * 1024;

    static New of(UUID id, Outgoing message) {
      return of(id, null, message, message.headers());
    }

    /** With other headers than its own. */
    static New of(UUID id, @Nullable String sentAs, Outgoing message, Map<String, Object> headers) {
      String json = OutgoingHeaders.write(headers);
      int bytes = json.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MOST_HEADER_BYTES) {
        throw new BadOutgoingException(
            "headers have "
                + bytes
                + " bytes as JSON, but may have at most "
                + MOST_HEADER_BYTES
                + "; put them into the body");
      }
      return new New(id, sentAs, message, json);
    }
  }

  /**
   * A row as it was read.
   *
   * @param later whether it had waited for its time
   */
  record Row(
      long id,
      int revision,
      UUID messageId,
      int shard,
      @Nullable String orderingKey,
      String destination,
      String address,
      String routingKey,
      @Nullable String type,
      @Nullable String contentType,
      String headers,
      byte[] body,
      @Nullable Instant notBefore,
      Instant createdAt,
      int attempts,
      boolean later,
      @Nullable String sentAs) {

    /** The id that the receiver sees. */
    String idOutside() {
      return sentAs == null ? messageId.toString() : sentAs;
    }

    /**
     * The message to be sent.
     *
     * @throws RuntimeException if what somebody has inserted is no message
     */
    Outgoing message() {
      Outgoing.Builder message =
          Outgoing.to(address, routingKey)
              .destination(destination)
              .type(type)
              .contentType(contentType)
              .orderingKey(orderingKey)
              .notBefore(notBefore)
              .body(body);
      OutgoingHeaders.read(headers).forEach(message::header);
      return message.build();
    }
  }

  /** Inserts messages, in their order, in the caller's transaction. */
  void insert(Connection connection, List<New> messages) throws SQLException {
    List<New> some = new ArrayList<>();
    long bytes = 0;
    boolean first = true;
    for (int i = 0; i < messages.size(); i++) {
      some.add(messages.get(i));
      bytes += messages.get(i).message().size();
      if (bytes >= MOST_BYTES || i == messages.size() - 1) {
        insert(connection, some, first ? messages : List.of());
        first = false;
        bytes = 0;
        some = new ArrayList<>();
      }
    }
  }

  private void insert(Connection c, List<New> some, List<New> toLock) throws SQLException {
    String[] keys =
        toLock.stream()
            .map(n -> orderingKey(n.message()))
            .filter(Objects::nonNull)
            .distinct()
            .toArray(String[]::new);
    try (PreparedStatement s = c.prepareStatement((keys.length > 0 ? lock : "") + insert)) {
      int p = 1;
      if (keys.length > 0) {
        s.setArray(p++, c.createArrayOf("text", keys));
      }
      Column[] columns = {
        new Column("uuid", n -> n.id()),
        new Column("text", n -> n.sentAs()),
        new Column("text", n -> orderingKey(n.message())),
        new Column("text", n -> n.message().destination()),
        new Column("text", n -> n.message().address()),
        new Column("text", n -> n.message().routingKey()),
        new Column("text", n -> n.message().type()),
        new Column("text", n -> n.message().contentType()),
        new Column("text", n -> n.headers()),
        new Column("bytea", n -> n.message().body()),
        new Column("timestamptz", n -> timestamp(n.message().notBefore()))
      };
      for (Column column : columns) {
        Object[] values =
            column.type().equals("bytea") ? new byte[some.size()][] : new Object[some.size()];
        for (int i = 0; i < values.length; i++) {
          values[i] = column.of().value(some.get(i));
        }
        s.setArray(p++, c.createArrayOf(column.type(), values));
      }
      s.execute();
    }
  }

  private record Column(String type, Value of) {
    interface Value {
      @Nullable Object value(New from);
    }
  }

  private static @Nullable String orderingKey(Outgoing message) {
    String key = message.orderingKey();
    return key == null ? null : Texts.shortKey(key);
  }

  private static @Nullable Timestamp timestamp(@Nullable Instant instant) {
    return instant == null ? null : Timestamp.from(instant);
  }

  /**
   * The next rows of these shards, each from its place on.
   *
   * @param ofAShard at most so many of one shard
   * @param limit at most so many in all, and 8 MiB of bodies or one row
   */
  List<Row> read(
      Connection connection, String destination, long[][] shardsAndPlaces, int ofAShard, int limit)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(read)) {
      s.setArray(1, array(connection, "int4", shardsAndPlaces[0]));
      s.setArray(2, array(connection, "int8", shardsAndPlaces[1]));
      s.setString(3, destination);
      s.setInt(4, ofAShard);
      s.setInt(5, limit);
      return rows(s);
    }
  }

  /** Rows of these shards whose time has come. */
  List<Row> readDue(
      Connection connection, String destination, long[] shards, long[] inHand, int limit)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(readDue)) {
      s.setArray(1, array(connection, "int4", shards));
      s.setString(2, destination);
      s.setArray(3, array(connection, "int8", inHand));
      s.setInt(4, limit);
      s.setInt(5, limit);
      return rows(s);
    }
  }

  private static List<Row> rows(PreparedStatement s) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (ResultSet r = s.executeQuery()) {
      while (r.next()) {
        rows.add(row(r));
      }
    }
    return rows;
  }

  private static Row row(ResultSet r) throws SQLException {
    return new Row(
        r.getLong(1),
        r.getInt(2),
        r.getObject(3, UUID.class),
        r.getInt(4),
        r.getString(5),
        r.getString(6),
        r.getString(7),
        r.getString(8),
        r.getString(9),
        r.getString(10),
        r.getString(11),
        r.getBytes(12),
        instant(r, 13),
        createdAt(r, 14),
        r.getInt(15),
        instant(r, 16) != null,
        r.getString(17));
  }

  private static @Nullable Instant instant(ResultSet r, int column) throws SQLException {
    // Not getTimestamp: what somebody inserted may lie in the gap of a daylight saving time.
    OffsetDateTime time = r.getObject(column, OffsetDateTime.class);
    return time == null
        ? null
        : time.equals(OffsetDateTime.MIN) || time.equals(OffsetDateTime.MAX)
            ? null
            : time.toInstant();
  }

  /** Null is what somebody has set to infinity; then it is as good as new. */
  private static Instant createdAt(ResultSet r, int column) throws SQLException {
    Instant instant = instant(r, column);
    return instant == null ? Instant.now() : instant;
  }

  /** What a full look has found: shard and id of the first row of each shard. */
  record Look(boolean paused, boolean due, List<long[]> first) {}

  /** In a transaction of its own, which is this one statement. */
  Look look(Connection connection, String destination, long[] shards, long[] inHand)
      throws SQLException {
    connection.setAutoCommit(true);
    try (PreparedStatement s = connection.prepareStatement(look)) {
      s.setString(1, destination);
      s.setArray(2, array(connection, "int4", shards));
      s.setString(3, destination);
      s.setArray(4, array(connection, "int4", shards));
      s.setString(5, destination);
      s.setArray(6, array(connection, "int8", inHand));
      boolean paused = false;
      boolean due = false;
      List<long[]> first = new ArrayList<>();
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          paused = r.getBoolean(1);
          due = r.getBoolean(2);
          long id = r.getLong(4);
          if (!r.wasNull()) {
            first.add(new long[] {r.getInt(3), id});
          }
        }
      }
      return new Look(paused, due, first);
    } finally {
      connection.setAutoCommit(false);
    }
  }

  private static java.sql.Array array(Connection c, String type, long[] values)
      throws SQLException {
    Object[] boxed = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      boxed[i] = type.equals("int4") ? (Object) (int) values[i] : (Object) values[i];
    }
    return c.createArrayOf(type, boxed);
  }

  /** Removes rows that the other side has; fewer than given if somebody else was faster. */
  int confirmed(Connection connection, List<Row> rows, boolean keep) throws SQLException {
    if (rows.isEmpty()) {
      return 0;
    }
    try (PreparedStatement s = connection.prepareStatement(keep ? confirmedAndKept : confirmed)) {
      idsAndRevisions(connection, s, rows);
      int amount = 0;
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          amount += r.getInt(1);
        }
      }
      return amount;
    }
  }

  /** Adds up entries of the books, in the caller's transaction. */
  void addUp(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(addUp)) {
      s.executeUpdate();
    }
  }

  List<Outbox.Books> books(Connection connection) throws SQLException {
    List<Outbox.Books> all = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(books);
        ResultSet r = s.executeQuery()) {
      while (r.next()) {
        all.add(
            new Outbox.Books(
                r.getString(1),
                r.getLong(2),
                r.getLong(3),
                r.getLong(4),
                r.getLong(5),
                r.getLong(6),
                r.getLong(7)));
      }
    }
    return all;
  }

  private static void idsAndRevisions(Connection c, PreparedStatement s, List<Row> rows)
      throws SQLException {
    s.setArray(1, array(c, "int8", rows.stream().mapToLong(Row::id).toArray()));
    s.setArray(2, array(c, "int4", rows.stream().mapToLong(Row::revision).toArray()));
  }

  /** A row that did not leave: parked, or to be tried again after a pause. */
  record Refusal(Row row, @Nullable Duration pause, String error) {}

  int refused(Connection connection, List<Refusal> refusals) throws SQLException {
    if (refusals.isEmpty()) {
      return 0;
    }
    try (PreparedStatement s = connection.prepareStatement(refused)) {
      idsAndRevisions(connection, s, refusals.stream().map(Refusal::row).toList());
      Object[] pauses = new Object[refusals.size()];
      Object[] errors = new Object[refusals.size()];
      for (int i = 0; i < pauses.length; i++) {
        Duration pause = refusals.get(i).pause();
        pauses[i] = pause == null ? null : (Object) pause.toMillis();
        errors[i] = Texts.storable(refusals.get(i).error());
      }
      s.setArray(3, connection.createArrayOf("int8", pauses));
      s.setArray(4, connection.createArrayOf("text", errors));
      return s.executeUpdate();
    }
  }

  /** Forgets what left longer ago; at most 10,000 at a time. */
  int dropSent(Connection connection, Duration kept) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(dropSent)) {
      s.setLong(1, kept.toMillis());
      return s.executeUpdate();
    }
  }

  List<Outbox.Row> list(Connection connection, Selection selection) throws SQLException {
    List<Outbox.Row> rows = new ArrayList<>();
    try (PreparedStatement s = connection.prepareStatement(list)) {
      java.sql.Array ids =
          selection.ids().isEmpty()
              ? null
              : connection.createArrayOf("uuid", selection.ids().toArray());
      Long millis = selection.olderThan() == null ? null : selection.olderThan().toMillis();
      Object[] values = {
        ids,
        ids,
        selection.consumer(),
        selection.consumer(),
        selection.state(),
        selection.state(),
        selection.reason(),
        selection.reason(),
        millis,
        millis,
        selection.limit()
      };
      for (int i = 0; i < values.length; i++) {
        if (values[i] == null) {
          s.setNull(i + 1, java.sql.Types.NULL);
        } else {
          s.setObject(i + 1, values[i]);
        }
      }
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          rows.add(
              new Outbox.Row(
                  r.getObject(1, UUID.class),
                  r.getString(2),
                  r.getString(3),
                  r.getString(4),
                  r.getString(5),
                  r.getString(6),
                  r.getString(7),
                  r.getInt(8),
                  r.getString(9),
                  createdAt(r, 10),
                  instant(r, 11),
                  r.getInt(12),
                  r.getBoolean(13)));
        }
      }
    }
    return rows;
  }

  @Nullable Row message(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(message)) {
      s.setObject(1, id);
      List<Row> rows = rows(s);
      return rows.isEmpty() ? null : rows.get(0);
    }
  }

  Outbox.@Nullable Sent sent(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(sent)) {
      s.setObject(1, id);
      try (ResultSet r = s.executeQuery()) {
        return r.next()
            ? new Outbox.Sent(
                r.getObject(1, UUID.class),
                r.getString(2),
                r.getString(3),
                r.getString(4),
                createdAt(r, 5),
                r.getInt(6))
            : null;
      }
    }
  }

  /** What an operator has touched: the destination, and a hash of the body. */
  record Touched(String destination, String bodyHash) {}

  @Nullable Touched retry(Connection connection, UUID id) throws SQLException {
    return touch(connection, retry, id);
  }

  @Nullable Touched discard(Connection connection, UUID id) throws SQLException {
    return touch(connection, discard, id);
  }

  private static @Nullable Touched touch(Connection connection, String sql, UUID id)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(sql)) {
      s.setObject(1, id);
      try (ResultSet r = s.executeQuery()) {
        return r.next() ? new Touched(r.getString(1), r.getString(2)) : null;
      }
    }
  }

  /** Nothing that is pending leaves by itself any more. */
  int parkAll(Connection connection, String why) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(parkAll)) {
      s.setString(1, why);
      return s.executeUpdate();
    }
  }

  /** False if it was so already. */
  boolean pause(Connection connection, String destination, boolean paused, String who, String why)
      throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(paused ? pause : resume)) {
      s.setString(1, destination);
      if (paused) {
        s.setString(2, who);
        s.setString(3, why);
      }
      return s.executeUpdate() > 0;
    }
  }

  void notifyRelays(Connection connection) throws SQLException {
    try (PreparedStatement s = connection.prepareStatement(notify)) {
      s.execute();
    }
  }
}
