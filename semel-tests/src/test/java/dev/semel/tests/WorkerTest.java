package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.checker.History;
import dev.semel.checker.Judge;
import dev.semel.checker.Recorder;
import dev.semel.checker.Tally;
import dev.semel.checker.Verdict;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The frame of the tests that run worker processes: a queue, a history and the effects of each
 * test, judged from outside. The same classes run with the twins, see {@link TwinsTest}.
 */
@WithServices
abstract class WorkerTest {

  static final Duration DEADLINE = Duration.ofSeconds(60);
  static final String CONSUMER = "payments";

  /** Transactions after which a batch is as large as any in these tests. */
  static final int WARM = 10;

  final TestDatabase database;
  final TestVhost vhost;
  final RabbitNode broker;
  final Ledger ledger;

  WorkerKind kind = WorkerKind.SEMEL;
  Path history;
  String queue;

  private int holds;
  private Recorder recorder;
  private final List<WorkerProcess> processes = new ArrayList<>();

  WorkerTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    this.database = database;
    this.vhost = vhost;
    this.broker = broker;
    this.ledger = Ledger.in(database);
    database.executeAsOwner(
        "CREATE TABLE IF NOT EXISTS public.twin_seen (consumer text, k text)",
        "CREATE TABLE IF NOT EXISTS public.twin_keys (consumer text, k text, PRIMARY KEY (consumer, k))",
        "GRANT ALL ON public.twin_seen, public.twin_keys TO " + database.runtimeName());
  }

  @BeforeEach
  void begin(@TempDir Path directory) throws IOException, SQLException {
    history = directory;
    recorder = Recorder.open(directory, "producer");
    queue = vhost.declareQueue(vhost.unique("q"), queueArguments());
    database.executeAsOwner(
        "TRUNCATE public.effects, public.twin_seen, public.twin_keys",
        "TRUNCATE semel.processed_messages_0, semel.processed_messages_1,"
            + " semel.processed_messages_2, semel.parked_messages, semel.started, semel.book_entries, semel.consumers,"
            + " semel.workers, semel.outbox, semel.promise_entries, semel.relays",
        "UPDATE semel.relay_shards SET relay = NULL, lease_until = NULL");
  }

  @AfterEach
  void end() throws IOException {
    processes.forEach(WorkerProcess::close);
    processes.clear();
    recorder.close();
    vhost.deleteQueue(queue);
  }

  /** A class that needs another kind of queue says so. */
  Map<String, Object> queueArguments() {
    return Map.of();
  }

  WorkerSpec worker() {
    return WorkerSpec.of(kind, database, vhost, queue, history);
  }

  WorkerProcess start(WorkerSpec spec) throws IOException {
    WorkerProcess process = launch(spec);
    process.awaitReady();
    return process;
  }

  /** Without waiting until it consumes: it may end before. */
  WorkerProcess launch(WorkerSpec spec) throws IOException {
    WorkerProcess process = spec.launch();
    processes.add(process);
    return process;
  }

  /** One copy of a message, confirmed by the broker and written down. */
  void publish(String key, String body) throws IOException {
    vhost.publish(queue, key, body);
    recorder.published(key);
  }

  /** Many, on one connection. */
  void publishAll(List<String> keys, String body) throws IOException {
    vhost.publishAll(keys.stream().map(k -> publication(k, body)).toList());
    keys.forEach(recorder::published);
  }

  TestVhost.Publication publication(String key, String body) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder().messageId(key).deliveryMode(2).build(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  /** Publishes prepared messages; each is written down under its id. */
  void publishPrepared(List<TestVhost.Publication> publications) throws IOException {
    vhost.publishAll(publications);
    publications.forEach(p -> recorder.published(String.valueOf(p.properties().getMessageId())));
  }

  /**
   * Lets the batches of a fresh worker grow to their full size: they begin with one message, and
   * each transaction doubles them. Has {@link #WARM} effects.
   */
  void warmUp(WorkerProcess worker) throws IOException {
    for (String key : keys("warm", WARM)) {
      publish(key, "ok");
      worker.awaitLine("SETTLED " + key + " Applied.*");
    }
  }

  /**
   * Holds so many idle lanes, each in the claim of a message of its own, while something is done.
   * Has as many effects.
   */
  void whileLanesWait(int lanes, HeldLanes.Meanwhile meanwhile) throws IOException, SQLException {
    List<String> keys = keys("held-" + holds++, lanes);
    HeldLanes.hold(database, keys, key -> publish(key, "ok"), meanwhile);
  }

  static List<String> keys(String prefix, int count) {
    List<String> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(prefix + "-" + i);
    }
    return keys;
  }

  /**
   * Waits until the broker holds nothing of the queue any more, neither ready nor unacknowledged,
   * and until no parked message waits to run again.
   */
  void awaitQueueEmpty() {
    awaitQueueEmpty(DEADLINE);
  }

  void awaitQueueEmpty(Duration deadline) {
    Await.until(
        "queue " + queue + " is empty",
        deadline,
        () -> broker.messageCount(vhost.name(), queue) == 0);
    Await.until("no parked message waits", deadline, () -> parked("waiting") == 0);
  }

  /** The first column of each row, as text. */
  List<String> textRows(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection c = database.superConnection();
        java.sql.Statement s = c.createStatement();
        java.sql.ResultSet r = s.executeQuery(sql)) {
      while (r.next()) {
        rows.add(r.getString(1));
      }
    }
    return rows;
  }

  long parked(String state) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM semel.parked_messages WHERE state = '" + state + "'");
  }

  /** Ends the workers and judges the promises from the recorder, the database and the queue. */
  Verdict judge() throws IOException, SQLException {
    processes.forEach(WorkerProcess::close);
    try (Connection c = database.superConnection()) {
      assertThat(database.queryLong("SELECT count(*) FROM semel.books WHERE off_by <> 0"))
          .as("books that do not close")
          .isZero();
      return Judge.of(History.read(history), CONSUMER)
          .effects(Tally.read(c, "SELECT k FROM public.effects"))
          .parked(Tally.read(c, "SELECT coalesce(message_id, 'null') FROM semel.parked_messages"))
          .queued(vhost.drainIds(queue).stream().map(String::valueOf).toList())
          .judge();
    }
  }

  /** The one question of nearly every test: nothing twice and nothing lost. */
  Verdict assertOnceEach() throws IOException, SQLException {
    Verdict verdict = judge();
    verdict.assertNothingDoubled();
    verdict.assertNothingLost();
    verdict.assertGood();
    return verdict;
  }
}
