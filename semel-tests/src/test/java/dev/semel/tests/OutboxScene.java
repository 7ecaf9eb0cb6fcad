package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import dev.semel.Listener;
import dev.semel.Order;
import dev.semel.Outgoing;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.engine.Engine;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.spi.Probe;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import dev.semel.tests.worker.WorkerKind;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The frame of the tests of the outbox: rows come in through anybody's transaction, relays of this
 * process let them out, and what has arrived is read from the queue {@link #out}, where nothing
 * removes a copy.
 */
@WithServices
abstract class OutboxScene {

  static final Duration DEADLINE = Duration.ofSeconds(60);
  static final Order ORDER = Order.by("ann", "ticket 17");

  final TestDatabase database;
  final TestVhost vhost;
  final RabbitNode broker;

  /** The queue to which the messages of most tests go, by the default exchange. */
  String out;

  private final List<Worker> relays = new ArrayList<>();
  private final List<WorkerProcess> processes = new ArrayList<>();
  private Path history;
  private final List<Arrived> arrived = new ArrayList<>();

  /** A message as it is in a queue. */
  record Arrived(String id, String body, GetResponse message) {}

  OutboxScene(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    this.database = database;
    this.vhost = vhost;
    this.broker = broker;
    Ledger.in(database);
  }

  @BeforeEach
  void begin(@TempDir Path directory) throws IOException, SQLException {
    history = directory;
    out = vhost.declareQueue(vhost.unique("out"));
    arrived.clear();
    database.executeAsOwner(
        "TRUNCATE public.effects, semel.relays, semel.outbox, semel.promise_entries, semel.outbox_sent, semel.paused_destinations, semel.audit,"
            + " semel.workers, semel.processed_messages_0, semel.parked_messages",
        "UPDATE semel.relay_shards SET relay = NULL, lease_until = NULL");
  }

  @AfterEach
  void end() throws IOException, SQLException {
    closeRelays();
    processes.forEach(WorkerProcess::close);
    processes.clear();
    vhost.deleteQueue(out);
    assertThat(semel().outbox().books())
        .as("the books, which close whatever has happened")
        .allMatch(books -> books.offBy() == 0);
  }

  /** A process that is a relay and nothing else. */
  WorkerSpec relay() {
    return WorkerSpec.of(WorkerKind.SEMEL, database, vhost, out, history).relayOnly();
  }

  WorkerProcess launch(WorkerSpec spec) throws IOException {
    WorkerProcess process = spec.launch();
    processes.add(process);
    return process;
  }

  void closeRelays() {
    relays.forEach(Worker::close);
    relays.clear();
  }

  DataSource dataSource() {
    return database.runtimeDataSource();
  }

  /** A relay looks often and loses its shards soon, so that tests do not wait. */
  Semel.Builder settings() {
    return Semel.builder(dataSource())
        .relayPoll(Duration.ofMillis(100))
        .relayLease(Duration.ofSeconds(2))
        .grace(Duration.ofSeconds(5));
  }

  Semel semel() {
    return settings().build();
  }

  Worker startRelay() {
    return startRelay(settings(), step -> {});
  }

  Worker startRelay(Listener listener) {
    return startRelay(settings().listener(listener), step -> {});
  }

  Worker startRelay(Semel.Builder settings, Probe probe) {
    Semel semel = Engine.of(settings.sender(RabbitMq.sender(vhost.amqpUri())).settings(), probe);
    Worker relay = semel.start();
    relays.add(relay);
    return relay;
  }

  Outgoing.Builder toOut(String body) {
    return Outgoing.to("", out).body(body);
  }

  UUID add(Outgoing.Builder message) throws SQLException {
    return addAll(List.of(message.build())).get(0);
  }

  /** In one transaction. */
  List<UUID> addAll(Collection<Outgoing> messages) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      connection.setAutoCommit(false);
      List<UUID> ids = semel().outbox().add(connection, messages);
      connection.commit();
      return ids;
    }
  }

  /** Messages with these bodies, all in one transaction. */
  List<UUID> addBodies(List<String> bodies) throws SQLException {
    return addAll(bodies.stream().map(b -> toOut(b).build()).toList());
  }

  static List<String> bodies(String prefix, int count) {
    return WorkerTest.keys(prefix, count);
  }

  /** All that has ever arrived in {@link #out}, in the order of its arrival. */
  List<Arrived> arrived() throws IOException {
    for (GetResponse each : vhost.drain(out)) {
      arrived.add(
          new Arrived(
              each.getProps().getMessageId(),
              new String(each.getBody(), StandardCharsets.UTF_8),
              each));
    }
    return List.copyOf(arrived);
  }

  List<String> arrivedBodies() throws IOException {
    return arrived().stream().map(Arrived::body).toList();
  }

  /** How many copies of each body have arrived. */
  Map<String, Long> copies() throws IOException {
    return arrived().stream().collect(Collectors.groupingBy(Arrived::body, Collectors.counting()));
  }

  /** Each of these has arrived once, and nothing else has. */
  void assertOnceEach(Collection<String> bodies) throws IOException {
    assertThat(arrivedBodies()).containsExactlyInAnyOrderElementsOf(bodies);
  }

  long pending() throws SQLException {
    return database.queryLong("SELECT count(*) FROM semel.outbox");
  }

  void awaitOutboxEmpty() {
    Await.until("the outbox is empty", DEADLINE, () -> pending() == 0);
  }

  void awaitPending(long count) {
    Await.until(count + " rows are in the outbox", DEADLINE, () -> pending() == count);
  }

  void awaitArrived(int count) {
    Await.until(count + " messages have arrived", DEADLINE, () -> arrived().size() >= count);
  }

  /** Order is that of the commits: the second draws its id when the first has committed. */
  void awaitTheSecondWaits() {
    Await.until(
        "the second waits for the first",
        DEADLINE,
        () ->
            database.queryLong(
                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                == 1);
  }

  String text(String sql) throws SQLException {
    try (Connection c = database.superConnection();
        java.sql.Statement s = c.createStatement();
        java.sql.ResultSet r = s.executeQuery(sql)) {
      return r.next() ? r.getString(1) : null;
    }
  }

  void awaitRow(String condition) {
    Await.until(
        "a row of the outbox with " + condition,
        DEADLINE,
        () -> database.queryLong("SELECT count(*) FROM semel.outbox WHERE " + condition) >= 1);
  }

  /** Something done on a channel of its own. */
  @FunctionalInterface
  interface OnChannel {
    void run(Channel channel) throws IOException;
  }

  void onChannel(OnChannel what) throws IOException {
    com.rabbitmq.client.Connection connection = vhost.connect();
    try {
      what.run(connection.createChannel());
    } finally {
      connection.close();
    }
  }
}
