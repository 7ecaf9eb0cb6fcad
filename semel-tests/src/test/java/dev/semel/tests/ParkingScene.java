package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.Order;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Parking.Done;
import dev.semel.Parking.Replay;
import dev.semel.Parking.Result;
import dev.semel.RetryPolicy;
import dev.semel.Selection;
import dev.semel.Semel;
import dev.semel.Tx;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The frame of the tests of what operators do: a worker in this process, whose handler remembers
 * each message that it was given, and fails as long as it is told to.
 */
abstract class ParkingScene extends WorkerTest {

  static final Order ORDER = Order.by("ann", "ticket 17");
  static final Replay AGAIN = new Replay(true, false, null);
  static final Replay AS_NEW = new Replay(false, true, null);

  final List<Message> runs = new CopyOnWriteArrayList<>();
  volatile boolean broken;

  Semel semel;
  Parking parking;
  private Worker worker;

  ParkingScene(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @BeforeEach
  void open() throws SQLException {
    semel = Semel.builder(database.runtimeDataSource()).lanes(2).build();
    parking = semel.parking();
    runs.clear();
    broken = false;
    database.executeAsOwner(
        "TRUNCATE semel.audit", "UPDATE semel.slots SET turn = 0, dropped_before = '-infinity'");
  }

  @AfterEach
  void close() {
    stopWorker();
  }

  /** One failure makes a message dead. */
  void startWorker() {
    startWorker(consumer().retry(RetryPolicy.builder().attempts(1).build()));
  }

  Consumer.Builder consumer() {
    return Consumer.named(CONSUMER)
        .source(RabbitMq.queue(vhost.amqpUri(), queue))
        .handler(this::handle);
  }

  void startWorker(Consumer.Builder of) {
    worker = semel.start(of.build());
  }

  List<String> healthReasons() {
    return worker.health().reasons();
  }

  void stopWorker() {
    if (worker != null) {
      worker.close();
      worker = null;
    }
  }

  void handle(Message message, Tx tx) throws Exception {
    runs.add(message);
    Ledger.insert(tx, String.valueOf(message.id()), sha256(message.body()));
    if (broken) {
      throw new IllegalStateException("told to fail");
    }
  }

  /** A message whose handler has failed once and for all, at rest in the table. */
  ParkedMessage dead(String key, String body) throws Exception {
    broken = true;
    startWorker();
    publish(key, body);
    ParkedMessage row = awaitRow("message_id = '" + key + "' AND state = 'dead'");
    stopWorker();
    broken = false;
    return row;
  }

  /** A message with other bytes under an applied or parked key. */
  ParkedMessage conflict(String key, String body) throws Exception {
    startWorker();
    publish(key, body);
    ParkedMessage row =
        awaitRow(
            "message_id = '"
                + key
                + "' AND reason LIKE 'conflict%' AND body = convert_to('"
                + body
                + "', 'UTF8')");
    stopWorker();
    return row;
  }

  /** Runs the worker until nothing is in the queue and nothing waits. */
  void runAll() throws SQLException {
    startWorker();
    awaitQueueEmpty();
    stopWorker();
  }

  ParkedMessage awaitRow(String where) {
    UUID id =
        Await.value(
            "a row where " + where,
            DEADLINE,
            () -> {
              List<String> ids = textRows("SELECT id FROM semel.parked_messages WHERE " + where);
              return ids.isEmpty() ? null : UUID.fromString(ids.get(0));
            });
    return row(id);
  }

  ParkedMessage row(UUID id) {
    return parking.list(Selection.of(List.of(id))).get(0);
  }

  /** Every column of every row of every table that an operator can touch, and what numbers them. */
  List<String> allRows() throws SQLException {
    return textRows(
        """
        SELECT q::text FROM semel.parked_messages q
        UNION ALL SELECT a::text FROM semel.audit a
        UNION ALL SELECT b::text FROM semel.book_entries b
        UNION ALL SELECT p::text FROM semel.processed_messages p
        UNION ALL SELECT s.sequencename || ' at ' || coalesce(s.last_value::text, 'its start')
                    FROM pg_sequences s WHERE s.schemaname = 'semel'
        ORDER BY 1
        """);
  }

  Result replay(ParkedMessage row, Replay how) {
    return single(parking.replay(Selection.of(List.of(row.id())), how, ORDER), row);
  }

  Result replay(ParkedMessage row) {
    return replay(row, Replay.PLAIN);
  }

  Result discard(ParkedMessage row) {
    return single(parking.discard(Selection.of(List.of(row.id())), ORDER), row);
  }

  private static Result single(List<Done> done, ParkedMessage row) {
    assertThat(done).hasSize(1);
    assertThat(done.get(0).id()).isEqualTo(row.id());
    return done.get(0).result();
  }

  /** The books, which must close, against what the test has counted itself. */
  void assertBooks(
      long parked, long applied, long duplicates, long discarded, long waiting, long dead)
      throws SQLException {
    assertThat(parking.books())
        .containsExactly(
            new Parking.Books(CONSUMER, parked, applied, duplicates, discarded, waiting, dead, 0));
    assertThat(
            textRows(
                "SELECT concat_ws('|', parked, applied, duplicates, discarded, waiting, dead, off_by)"
                    + " FROM semel.books"))
        .containsExactly(
            parked
                + "|"
                + applied
                + "|"
                + duplicates
                + "|"
                + discarded
                + "|"
                + waiting
                + "|"
                + dead
                + "|0");
    assertThat(parked("waiting")).isEqualTo(waiting);
    assertThat(parked("dead")).isEqualTo(dead);
  }

  /** One line for each row of the audit, without its time. */
  List<String> audit() throws SQLException {
    return textRows(
        "SELECT concat_ws('|', who, verb, target, reason, detail) FROM semel.audit ORDER BY id");
  }

  /** The slots take turns until no key of this moment is known any more. */
  void dropKeys() throws SQLException {
    database.executeAsOwner(
        "TRUNCATE semel.processed_messages_0, semel.processed_messages_1,"
            + " semel.processed_messages_2",
        "UPDATE semel.slots SET turn = turn + 2, dropped_before = clock_timestamp()");
  }

  TestVhost.Publication stamped(String key, String body, Instant at) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(key)
            .timestamp(Date.from(at))
            .deliveryMode(2)
            .build(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  static void awaitTrue(String what, Await.Condition condition) {
    Await.until(what, Duration.ofSeconds(30), condition);
  }

  long effectsOf(String body) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM public.effects WHERE note = '"
            + sha256(body.getBytes(StandardCharsets.UTF_8))
            + "'");
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Nothing is left anywhere but in the tables. */
  void assertQueueEmpty() throws IOException {
    assertThat(broker.messageCount(vhost.name(), queue)).isZero();
  }
}
