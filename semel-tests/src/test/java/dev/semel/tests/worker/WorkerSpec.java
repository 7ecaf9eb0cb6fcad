package dev.semel.tests.worker;

import dev.semel.spi.Step;
import dev.semel.testkit.ChildJvm;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a worker process is to do; immutable, each method gives a changed copy. */
public final class WorkerSpec {

  private final Map<String, String> values;

  private WorkerSpec(Map<String, String> values) {
    this.values = values;
  }

  /** A worker on a queue, as the runtime role, that records into a directory. */
  public static WorkerSpec of(
      WorkerKind kind, TestDatabase database, TestVhost vhost, String queue, Path history) {
    return new WorkerSpec(new LinkedHashMap<>())
        .with("kind", kind.name())
        .with("amqp", vhost.amqpUri())
        .with("queue", queue)
        .with("jdbc", database.jdbcUrl())
        .with("user", database.runtimeName())
        .with("password", database.runtimePassword())
        .with("history", history.toString())
        .with("consumer", "payments")
        .with("lanes", "2")
        .with("batch", "50")
        .with("prefetch", "0")
        .with("grace", "10000")
        .with("policy", "PARK")
        .with("pause", "200")
        .with("attempts", "10")
        .with("deaths", "3")
        .with("cap", "2000");
  }

  private WorkerSpec with(String key, String value) {
    Map<String, String> copy = new LinkedHashMap<>(values);
    copy.put(key, value);
    return new WorkerSpec(copy);
  }

  public WorkerSpec consumer(String name) {
    return with("consumer", name);
  }

  public WorkerSpec lanes(int lanes) {
    return with("lanes", Integer.toString(lanes));
  }

  public WorkerSpec batch(int batch) {
    return with("batch", Integer.toString(batch));
  }

  public WorkerSpec prefetch(int prefetch) {
    return with("prefetch", Integer.toString(prefetch));
  }

  public WorkerSpec graceMillis(long millis) {
    return with("grace", Long.toString(millis));
  }

  public WorkerSpec pauseMillis(long millis) {
    return with("pause", Long.toString(millis));
  }

  /** Under {@code FailurePolicy.REQUEUE}. */
  public WorkerSpec requeue() {
    return with("policy", "REQUEUE");
  }

  public WorkerSpec attempts(int attempts) {
    return with("attempts", Integer.toString(attempts));
  }

  public WorkerSpec deaths(int deaths) {
    return with("deaths", Integer.toString(deaths));
  }

  /** Longest pause between runs of a parked message; the first one is {@link #pauseMillis}. */
  public WorkerSpec capMillis(long millis) {
    return with("cap", Long.toString(millis));
  }

  public WorkerSpec parkedLimit(int messages) {
    return with("parkedLimit", Integer.toString(messages));
  }

  public WorkerSpec acknowledgementTimeoutMillis(long millis) {
    return with("ackTimeout", Long.toString(millis));
  }

  /** The ordering key is this header; messages without it have no order. */
  public WorkerSpec orderedBy(String header) {
    return with("orderedBy", header);
  }

  /** A source that says what the queue is like, or that sets a limit for messages. */
  public WorkerSpec maxMessageBytes(int bytes) {
    return with("maxMessageBytes", Integer.toString(bytes));
  }

  /** Copies of dead messages go to this queue. */
  public WorkerSpec deadLettersTo(String queue) {
    return with("deadLettersTo", queue);
  }

  public WorkerSpec statementTimeoutMillis(long millis) {
    return with("statementTimeout", Long.toString(millis));
  }

  public WorkerSpec lockTimeoutMillis(long millis) {
    return with("lockTimeout", Long.toString(millis));
  }

  /** Through a proxy. */
  public WorkerSpec jdbcUrl(String url) {
    return with("jdbc", url);
  }

  /** Through a proxy. */
  public WorkerSpec amqpUri(String uri) {
    return with("amqp", uri);
  }

  /** Connections of a Hikari pool; without it a plain data source is used. */
  public WorkerSpec pool(int size) {
    return with("pool", Integer.toString(size));
  }

  /** The handler is a BatchHandler. */
  public WorkerSpec batchHandler() {
    return with("batchHandler", "true");
  }

  public WorkerSpec header(String identityHeader) {
    return with("header", identityHeader);
  }

  /** The order {@code block} is passed over: somebody was killed in it already. */
  public WorkerSpec blocksOnce() {
    return with("passBlock", "true");
  }

  public WorkerSpec oneAtATime() {
    return with("oneAtATime", "true");
  }

  /**
   * What happens at a step, once.
   *
   * @param kind error, terminate, halt, or block
   * @param at the how-manieth time that the step is reached, from 1
   */
  public WorkerSpec fault(Step step, String kind, int at) {
    return with("fault", step + ":" + kind + ":" + at);
  }

  /** The same, at the first time that the step is reached after another one was. */
  public WorkerSpec faultAfter(Step after, Step step, String kind) {
    return with("fault", step + ":" + kind + ":1:" + after);
  }

  /** Each handler sends its key to this queue. */
  public WorkerSpec sendsTo(String queue) {
    return with("sendTo", queue);
  }

  /** The process also lets messages out. */
  public WorkerSpec relay() {
    return with("relay", "true");
  }

  /** The process lets messages out and does nothing else. */
  public WorkerSpec relayOnly() {
    return relay().with("relayOnly", "true");
  }

  public WorkerSpec leaseMillis(long millis) {
    return with("lease", Long.toString(millis));
  }

  /** For the fault "terminate": who may end sessions. */
  public WorkerSpec superuser(String url, String user, String password) {
    return with("superUrl", url).with("superUser", user).with("superPassword", password);
  }

  /** Starts the process and waits until it consumes. */
  public WorkerProcess start() throws IOException {
    WorkerProcess process = launch();
    process.awaitReady();
    return process;
  }

  /** Starts the process without waiting. */
  public WorkerProcess launch() throws IOException {
    ChildJvm.Builder child = ChildJvm.builder(WorkerMain.class).name("worker");
    values.forEach((k, v) -> child.args(k + "=" + v));
    return new WorkerProcess(child.start());
  }
}
