package dev.semel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The distribution's RabbitMQ as a process of this machine, with a node name, data, log, cookie,
 * port mapper (epmd) and ports of its own; nothing of an installed broker is touched. It listens on
 * the loopback address only and keeps its ports across restarts. It runs as whoever runs the tests,
 * root or not.
 *
 * <p>With SEMEL_TEST_RABBITMQ_ROOT in the environment it is the RabbitMQ of that root directory,
 * which {@code tools/rabbitmq-root} makes; only root can start that one.
 *
 * <p>The broker ends with this JVM, however the JVM ends. Methods may be called from any thread;
 * those that start or stop the broker exclude each other.
 */
public final class RabbitNode implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);
  private static final Duration QUORUM_TICK = Duration.ofMillis(100);
  private static final String MEMORY = "1GB";
  private static final int PORT_TRIES = 3;
  private static final String STARTED = "completed with";

  private final RabbitInstallation installation;
  private final TempDir temporary;
  private final @Nullable Duration consumerTimeout;
  private final String user = "semel";
  private final String password = Secrets.hex(12);
  private final String node = "semel-" + Secrets.hex(4) + "@localhost";
  private final Runnable atExit = this::close;
  private Ports ports = Ports.free();
  private @Nullable ServiceProcess epmd;
  private @Nullable ServiceProcess broker;
  private boolean closed;

  private record Ports(int amqp, int http, int distribution, int epmd) {
    static Ports free() {
      return new Ports(FreePorts.next(), FreePorts.next(), FreePorts.next(), FreePorts.next());
    }
  }

  private RabbitNode(Builder builder) throws IOException {
    this.installation = RabbitInstallation.find();
    this.temporary = TempDir.create("rabbitmq");
    this.consumerTimeout = builder.consumerTimeout;
  }

  /**
   * Starts to describe a broker.
   *
   * @return a builder whose broker has RabbitMQ's own consumer timeout of 30 minutes
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts a broker with all defaults.
   *
   * @return the running broker
   * @throws IOException when it does not start; the message holds the end of its output
   * @throws IllegalStateException when RabbitMQ is not installed; the message names the remedy
   */
  public static RabbitNode start() throws IOException {
    return builder().start();
  }

  /** What a broker shall be like. */
  public static final class Builder {
    private @Nullable Duration consumerTimeout;

    private Builder() {}

    /**
     * How long a delivery may stay unacknowledged before the broker takes it back. Up to RabbitMQ
     * 4.2 that closes the channel, and the node checks every second instead of every minute; from
     * 4.3 on it cancels the consumer, at once, and only that of a quorum queue.
     *
     * @param timeout at least one millisecond
     * @return this builder
     * @throws IllegalArgumentException when the timeout is shorter
     */
    public Builder consumerTimeout(Duration timeout) {
      if (timeout.toMillis() < 1) {
        throw new IllegalArgumentException("consumerTimeout must be at least 1 ms, was " + timeout);
      }
      this.consumerTimeout = timeout;
      return this;
    }

    /**
     * Starts the broker and returns when it accepts connections.
     *
     * @return the running broker
     * @throws IOException when it does not start; the message holds the end of its output
     * @throws IllegalStateException when RabbitMQ is not installed; the message names the remedy
     */
    public RabbitNode start() throws IOException {
      RabbitNode node = new RabbitNode(this);
      AtExit.add(node.atExit);
      try {
        node.startOnSomePorts();
        return node;
      } catch (IOException | RuntimeException | AssertionError e) {
        node.close();
        throw e;
      }
    }
  }

  /**
   * The AMQP port on 127.0.0.1; the same for the whole life of this object.
   *
   * @return TCP port
   */
  public int port() {
    return ports.amqp();
  }

  /**
   * The port of the HTTP API on 127.0.0.1.
   *
   * @return TCP port
   */
  public int httpPort() {
    return ports.http();
  }

  /**
   * The version of RabbitMQ, as the running broker tells it.
   *
   * @return for example {@code 3.10.8}
   * @throws IOException when the broker is down
   */
  public String version() throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri("/"))) {
      return session.connection().getServerProperties().get("version").toString();
    }
  }

  /**
   * The one user, an administrator with all permissions in every vhost made here.
   *
   * @return user name
   */
  public String user() {
    return user;
  }

  /**
   * The user's password.
   *
   * @return hexadecimal digits, random per node
   */
  public String password() {
    return password;
  }

  /**
   * AMQP URI with credentials.
   *
   * @param vhost name of the vhost, unescaped
   * @return the URI
   */
  public String amqpUri(String vhost) {
    return amqpUri(vhost, port());
  }

  /**
   * AMQP URI with credentials through another loopback port, that of a {@link TcpProxy}.
   *
   * @param vhost name of the vhost, unescaped
   * @param throughPort where the proxy listens
   * @return the URI
   */
  public String amqpUri(String vhost, int throughPort) {
    return "amqp://"
        + user
        + ":"
        + password
        + "@127.0.0.1:"
        + throughPort
        + "/"
        + RabbitApi.escaped(vhost);
  }

  /**
   * Creates a vhost in which the user may do everything.
   *
   * @param prefix how its name starts
   * @return the vhost, deleted when it is closed
   * @throws IOException when the broker is down
   */
  public TestVhost createVhost(String prefix) throws IOException {
    String vhost = PostgresAccess.unique(prefix);
    api().createVhost(vhost, user);
    return new TestVhost(amqpUri(vhost), vhost, "", () -> deleteVhost(vhost));
  }

  /**
   * Deletes a vhost with all its queues and connections; an unknown one is no failure.
   *
   * @param vhost its name
   * @throws IOException when the broker is down
   */
  public void deleteVhost(String vhost) throws IOException {
    api().deleteVhost(vhost);
  }

  /**
   * Closes all connections that are open now, as an operator would: the clients see a 320
   * CONNECTION_FORCED. Returns when they are closed; new ones may be open by then.
   *
   * @param reason what the clients are told
   * @return how many were closed
   * @throws IOException when the broker is down
   */
  public int closeAllConnections(String reason) throws IOException {
    return closeConnections(reason, each -> true);
  }

  /**
   * Closes the connections of one vhost that are open now, as {@link #closeAllConnections(String)}
   * does.
   *
   * @param vhost its name
   * @return how many were closed
   * @throws IOException when the broker is down
   */
  public int closeConnections(String vhost) throws IOException {
    return closeConnections(
        "closed by the test", each -> each.path("vhost").asText().equals(vhost));
  }

  /**
   * How many connections are open in a vhost.
   *
   * @param vhost its name
   * @return 0 or more
   * @throws IOException when the broker is down
   */
  public int connectionCount(String vhost) throws IOException {
    return names(each -> each.path("vhost").asText().equals(vhost)).size();
  }

  /**
   * How many consumers a queue has, as the queue itself knows.
   *
   * @param vhost name of the vhost
   * @param queue name of the queue
   * @return 0 or more
   * @throws IOException when the broker is down or the queue does not exist
   */
  public int consumerCount(String vhost, String queue) throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri(vhost))) {
      return session.channel().queueDeclarePassive(queue).getConsumerCount();
    }
  }

  /**
   * Messages of a queue, ready and unacknowledged together, as the broker counts them now. For a
   * quorum queue that takes some 0.3 s.
   *
   * @param vhost its vhost
   * @param queue its name
   * @return the number; -1 if there is no such queue
   * @throws IOException when the broker is down
   */
  public int messageCount(String vhost, String queue) throws IOException {
    JsonNode found = queue(vhost, queue);
    if (found.path("type").asText().equals("quorum")) {
      // the numbers are those of its last tick, which must be one after this call
      awaitTicks(3);
      found = queue(vhost, queue);
    }
    return found.path("messages").asInt(-1);
  }

  /**
   * The queues of a vhost.
   *
   * @param vhost its name
   * @return their names, sorted
   * @throws IOException when the broker is down
   */
  public Set<String> queues(String vhost) throws IOException {
    Set<String> names = new TreeSet<>();
    api().queues(vhost).forEach(queue -> names.add(queue.path("name").asText()));
    return names;
  }

  /**
   * Everything the broker has logged, over all restarts.
   *
   * @return the text, possibly long
   */
  public String log() {
    try {
      return Files.readString(output());
    } catch (IOException e) {
      throw new UncheckedIOException("could not read the log of RabbitMQ", e);
    }
  }

  /**
   * Whether the broker process is there.
   *
   * @return false after {@link #stop()}, {@link #crash()} and {@link #close()}
   */
  public synchronized boolean isRunning() {
    return broker != null && broker.isAlive();
  }

  /**
   * Shuts down in order (SIGTERM), which takes RabbitMQ some 5 seconds. Does nothing when the
   * broker is down.
   */
  public synchronized void stop() {
    ServiceProcess running = broker;
    if (running == null) {
      return;
    }
    running.signal("TERM");
    if (!running.awaitExit(STOP_LIMIT)) {
      running.killTree();
    }
    broker = null;
  }

  /**
   * Waits until the broker has written down that a quorum queue exists. RabbitMQ 3.10 does that up
   * to some seconds after it has confirmed the declaration, and even messages in it: a queue whose
   * broker is killed before never finds a leader again. Call this before {@link #crash()} unless
   * that loss is the test.
   *
   * @param vhost name of the vhost
   * @param queue name of a quorum queue
   * @throws AssertionError when that takes more than 40 s
   */
  public void awaitQuorumQueueOnDisk(String vhost, String queue) {
    String member = vhost + "_" + queue;
    Await.until(
        "quorum queue " + queue + " on disk", STOP_LIMIT, () -> registrations().contains(member));
  }

  /**
   * Kills the broker with SIGKILL; {@link #startAgain()} starts it on what it had written by then.
   */
  public synchronized void crash() {
    if (broker != null) {
      broker.killTree();
      broker = null;
    }
  }

  /**
   * Starts the broker again on the same data and ports. Does nothing when it runs.
   *
   * @throws IOException when it does not start; the message holds the end of its output
   * @throws IllegalStateException after {@link #close()}
   */
  public synchronized void startAgain() throws IOException {
    if (closed) {
      throw new IllegalStateException("this RabbitMQ was closed");
    }
    if (!isRunning()) {
      launch();
    }
  }

  /**
   * Stops in order, unless the broker is down already, and starts again on the same data and ports.
   *
   * @throws IOException when it does not start; the message holds the end of its output
   */
  public synchronized void restart() throws IOException {
    stop();
    startAgain();
  }

  /**
   * Kills the broker, since nobody will want its data, and removes it. Further calls do nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    AtExit.remove(atExit);
    crash();
    endEpmd();
    temporary.close();
  }

  /**
   * Puts the broker into its alarm for memory, in which it reads nothing more from connections that
   * publish, or ends that. Returns when it is so.
   *
   * @param on whether there shall be an alarm
   * @throws IOException when the broker does not obey; the message holds what it said
   */
  public void memoryAlarm(boolean on) throws IOException {
    control("set_vm_memory_high_watermark", "absolute", on ? "1MB" : MEMORY);
    Await.until(
        "the alarm to be " + (on ? "on" : "off"), CLOSE_LIMIT, () -> api().hasAlarm() == on);
  }

  private void control(String... order) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--node", node));
    arguments.addAll(List.of(order));
    Path said = temporary.path().resolve("control.out");
    ServiceProcess.run(
        new ServiceProcess.Spec(
            "rabbitmqctl",
            installation.command(
                temporary.path(), installation.control(), arguments.toArray(String[]::new)),
            environment(),
            temporary.path(),
            said,
            said,
            null,
            "KILL"),
        STOP_LIMIT);
  }

  private JsonNode queue(String vhost, String name) throws IOException {
    for (JsonNode each : api().queues(vhost)) {
      if (each.path("name").asText().equals(name)) {
        return each;
      }
    }
    return MissingNode.getInstance();
  }

  private static void awaitTicks(int ticks) throws IOException {
    try {
      Thread.sleep(ticks * QUORUM_TICK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking RabbitMQ", e);
    }
  }

  private int closeConnections(String reason, Predicate<JsonNode> chosen) throws IOException {
    Set<String> open = names(chosen);
    for (String name : open) {
      api().closeConnection(name, reason);
    }
    Await.until(
        "connections to be closed: " + open,
        CLOSE_LIMIT,
        () -> names(chosen).stream().noneMatch(open::contains));
    return open.size();
  }

  private Set<String> names(Predicate<JsonNode> chosen) throws IOException {
    return StreamSupport.stream(api().connections().spliterator(), false)
        .filter(chosen)
        .map(each -> each.path("name").asText())
        .collect(Collectors.toSet());
  }

  private RabbitApi api() {
    return new RabbitApi(ports.http(), user, password);
  }

  private void startOnSomePorts() throws IOException {
    for (int left = PORT_TRIES; ; left--) {
      try {
        launch();
        return;
      } catch (IOException e) {
        if (left <= 1 || !log().contains("eaddrinuse")) {
          throw e;
        }
        endEpmd();
        ports = Ports.free();
      }
    }
  }

  private void launch() throws IOException {
    writeConfiguration();
    if (epmd == null || !epmd.isAlive()) {
      startEpmd();
    }
    long seen = Files.exists(output()) ? Files.size(output()) : 0;
    ServiceProcess started =
        ServiceProcess.start(
            new ServiceProcess.Spec(
                "RabbitMQ",
                installation.command(temporary.path(), installation.server()),
                environment(),
                temporary.path(),
                output(),
                output(),
                null,
                "KILL"));
    broker = started;
    try {
      Await.until(
          "RabbitMQ to accept connections",
          START_LIMIT,
          () -> !started.isAlive() || outputFrom(seen).contains(STARTED));
      started.requireAlive();
    } catch (IOException | AssertionError e) {
      started.killTree();
      broker = null;
      throw e instanceof IOException io ? io : new IOException(started.outputTail(), e);
    }
  }

  /** Our own, in the foreground: the one that Erlang starts by itself would outlive us. */
  private void startEpmd() throws IOException {
    Path epmdOutput = temporary.path().resolve("epmd.out");
    List<String> command =
        installation.command(
            temporary.path(),
            installation.epmd(),
            "-port",
            Integer.toString(ports.epmd()),
            "-address",
            "127.0.0.1");
    ServiceProcess started =
        ServiceProcess.start(
            new ServiceProcess.Spec(
                "epmd",
                command,
                baseEnvironment(),
                temporary.path(),
                epmdOutput,
                epmdOutput,
                null,
                "KILL"));
    epmd = started;
    Await.until("epmd to listen", START_LIMIT, () -> !started.isAlive() || listens(ports.epmd()));
    if (!started.isAlive()) {
      throw new IOException("epmd did not start (eaddrinuse?)\n" + started.outputTail());
    }
  }

  private void endEpmd() {
    if (epmd != null) {
      epmd.killTree();
      epmd = null;
    }
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }

  private void writeConfiguration() throws IOException {
    List<String> rabbit = new ArrayList<>();
    rabbit.add("{channel_tick_interval, 1000}");
    rabbit.add("{quorum_tick_interval, " + QUORUM_TICK.toMillis() + "}");
    rabbit.add("{default_user, <<\"" + user + "\">>}");
    rabbit.add("{default_pass, <<\"" + password + "\">>}");
    rabbit.add("{tcp_listeners, [{\"127.0.0.1\", " + ports.amqp() + "}]}");
    rabbit.add("{vm_memory_high_watermark, {absolute, \"" + MEMORY + "\"}}");
    rabbit.add("{disk_free_limit, \"50MB\"}");
    if (consumerTimeout != null) {
      rabbit.add("{consumer_timeout, " + consumerTimeout.toMillis() + "}");
    }
    String http =
        "{rabbitmq_management, [{tcp_config, [{ip, \"127.0.0.1\"}, {port, "
            + ports.http()
            + "}]}]}";
    write(
        "rabbitmq.config", "[{rabbit, [" + String.join(",\n  ", rabbit) + "]},\n " + http + "].\n");
    write("plugins", "[rabbitmq_management].\n");
    write("env.conf", "");
    Files.createDirectories(temporary.path().resolve("home"));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(temporary.path().resolve(name), text);
  }

  private Map<String, String> environment() {
    Map<String, String> environment = baseEnvironment();
    environment.put("RABBITMQ_NODENAME", node);
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(ports.distribution()));
    environment.put("RABBITMQ_CONF_ENV_FILE", inDirectory("env.conf"));
    environment.put("RABBITMQ_CONFIG_FILE", inDirectory("rabbitmq.config"));
    environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", inDirectory("plugins"));
    environment.put("RABBITMQ_MNESIA_BASE", inDirectory("mnesia"));
    environment.put("RABBITMQ_LOG_BASE", inDirectory("log"));
    // the log goes to standard output, which is our file
    environment.put("RABBITMQ_LOGS", "-");
    environment.put("RABBITMQ_PID_FILE", inDirectory("pid"));
    // no shell in between: the process that we started becomes the broker
    environment.put("RUNNING_UNDER_SYSTEMD", "true");
    environment.put(
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
        "-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false");
    environment.put("ERL_CRASH_DUMP_SECONDS", "0");
    return environment;
  }

  private Map<String, String> baseEnvironment() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PATH", installation.searchPath());
    environment.put("LANG", "C.UTF-8");
    environment.put("HOME", inDirectory("home"));
    environment.put("ERL_EPMD_PORT", Integer.toString(ports.epmd()));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    return environment;
  }

  private String registrations() throws IOException {
    try (Stream<Path> files =
        Files.find(
            temporary.path(),
            Integer.MAX_VALUE,
            (file, attributes) -> file.endsWith("names.dets"))) {
      StringBuilder all = new StringBuilder();
      for (Path file : files.toList()) {
        all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
      return all.toString();
    }
  }

  private String inDirectory(String name) {
    return installation.seen(temporary.path()).resolve(name).toString();
  }

  private Path output() {
    return temporary.path().resolve("rabbitmq.log");
  }

  private String outputFrom(long offset) throws IOException {
    byte[] all = Files.readAllBytes(output());
    return new String(all, (int) offset, all.length - (int) offset, StandardCharsets.UTF_8);
  }
}
