package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL as a process of this machine, with real durability: fsync, full_page_writes and
 * synchronous_commit are on, cannot be switched off, and are asked for after the start. It listens
 * on the loopback address only, on a port of its own that it keeps across restarts. When the tests
 * run as root the server runs as an unprivileged account, because PostgreSQL refuses root.
 *
 * <p>The server ends with this JVM, however the JVM ends. Methods may be called from any thread;
 * those that start or stop the server exclude each other.
 */
public final class PostgresServer implements AutoCloseable {

  private static final String SUPERUSER = "postgres";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int PORT_TRIES = 5;
  private static final Set<String> DURABILITY =
      Set.of("fsync", "full_page_writes", "synchronous_commit");
  private static final Set<String> OURS =
      Set.of("port", "listen_addresses", "unix_socket_directories", "data_directory");

  private final Map<String, String> config;
  private final @Nullable TempDir temporary;
  private final Path directory;
  private final @Nullable Account account;
  private final Path home;
  private final String password;
  private final Runnable atExit = this::endWithJvm;
  private int port;
  private @Nullable ServiceProcess process;
  private boolean closed;

  private PostgresServer(Builder builder) throws IOException {
    this.config = Map.copyOf(builder.config);
    this.temporary = builder.directory == null ? TempDir.create("postgres") : null;
    this.directory = temporary != null ? temporary.path() : prepared(builder.directory);
    this.account = accountFor(directory);
    this.home = PostgresBinaries.home(account);
    if (account != null) {
      account.requireReachable(home);
      account.requireReachable(directory);
    }
    this.password = initialised();
    this.port = builder.port;
  }

  /**
   * Starts to describe a server.
   *
   * @return a builder whose server has a fresh temporary directory and a free port
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts a server with all defaults.
   *
   * @return the running server
   * @throws IOException when it cannot be unpacked, initialised or started; the message holds the
   *     end of its log
   */
  public static PostgresServer start() throws IOException {
    return builder().start();
  }

  /** What a server shall be like. */
  public static final class Builder {
    private final Map<String, String> config = new LinkedHashMap<>();
    private @Nullable Path directory;
    private int port;

    private Builder() {}

    /**
     * Sets a configuration parameter of PostgreSQL.
     *
     * @param name the parameter, as in postgresql.conf
     * @param value its value
     * @return this builder
     * @throws IllegalArgumentException for a parameter that the test kit sets itself, and for
     *     durability switched off
     */
    public Builder config(String name, String value) {
      String plain = name.toLowerCase(Locale.ROOT);
      if (OURS.contains(plain)) {
        throw new IllegalArgumentException(name + " is set by the test kit");
      }
      if (DURABILITY.contains(plain) && !"on".equals(value)) {
        throw new IllegalArgumentException(
            name + " stays on: a test without durability proves nothing");
      }
      config.put(plain, value);
      return this;
    }

    /**
     * Keeps the data in a directory that survives {@link PostgresServer#close()} and can be given
     * again.
     *
     * @param path created when it does not exist
     * @return this builder
     */
    public Builder directory(Path path) {
      this.directory = path.toAbsolutePath();
      return this;
    }

    /**
     * Uses this port instead of a free one.
     *
     * @param number 1 to 65535
     * @return this builder
     * @throws IllegalArgumentException for another number
     */
    public Builder port(int number) {
      if (number < 1 || number > 65_535) {
        throw new IllegalArgumentException("port must be 1 to 65535, was " + number);
      }
      this.port = number;
      return this;
    }

    /**
     * Starts the server and returns when it accepts connections.
     *
     * @return the running server
     * @throws IOException when it cannot be unpacked, initialised or started; the message holds the
     *     end of its log
     */
    public PostgresServer start() throws IOException {
      PostgresServer server = new PostgresServer(this);
      AtExit.add(server.atExit);
      try {
        server.startOnSomePort(port == 0 ? PORT_TRIES : 1);
        server.requireDurability();
        return server;
      } catch (IOException | RuntimeException | AssertionError e) {
        server.close();
        throw e;
      }
    }
  }

  /**
   * The port on 127.0.0.1; the same for the whole life of this object.
   *
   * @return TCP port
   */
  public int port() {
    return port;
  }

  /**
   * URL of a database, without credentials.
   *
   * @param database its name
   * @return the URL
   */
  public String jdbcUrl(String database) {
    return access().url(database);
  }

  /**
   * The superuser's role name.
   *
   * @return role name
   */
  public String superuserName() {
    return SUPERUSER;
  }

  /**
   * The superuser's password.
   *
   * @return hexadecimal digits, random per data directory
   */
  public String superuserPassword() {
    return password;
  }

  /**
   * Opens a session of the superuser.
   *
   * @param database name of the database, {@code postgres} always exists
   * @return a connection that the caller closes
   * @throws SQLException when the server is down or the database does not exist
   */
  public Connection superConnection(String database) throws SQLException {
    return access().connect(database);
  }

  /**
   * Creates an empty database with an owner and a runtime role.
   *
   * @param prefix how its name starts; characters that would need quotes become underscores
   * @return the database, dropped when it is closed
   * @throws SQLException when the server is down
   */
  public TestDatabase createDatabase(String prefix) throws SQLException {
    return access().createDatabase(prefix);
  }

  /**
   * Everything the server has logged, over all restarts. Each line carries the SQLSTATE, so that a
   * test can look for {@code 25P02}.
   *
   * @return the text, possibly long
   */
  public String serverLog() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      throw new UncheckedIOException("could not read the log of PostgreSQL", e);
    }
  }

  /**
   * Whether the server process is there.
   *
   * @return false after {@link #stop()}, {@link #crash()} and {@link #close()}
   */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /**
   * Shuts down fast: transactions roll back, sessions are cut, data is flushed. Does nothing when
   * the server is down.
   */
  public synchronized void stop() {
    ServiceProcess running = process;
    if (running == null) {
      return;
    }
    running.signal("INT");
    if (!running.awaitExit(STOP_LIMIT)) {
      running.killTree();
    }
    process = null;
  }

  /**
   * Kills the server and all its sessions with SIGKILL, as a power cut would, except that the
   * kernel's buffers survive. The next start recovers.
   */
  public synchronized void crash() {
    if (process != null) {
      process.killTree();
      process = null;
    }
  }

  /**
   * Starts the server again on the same data and port; after a crash this includes recovery. Does
   * nothing when it runs.
   *
   * @throws IOException when it does not start; the message holds the end of its log
   * @throws IllegalStateException after {@link #close()}
   */
  public synchronized void startAgain() throws IOException {
    if (closed) {
      throw new IllegalStateException("this PostgreSQL was closed");
    }
    if (!isRunning()) {
      launch();
    }
  }

  /**
   * Stops fast, unless the server is down already, and starts again on the same data and port.
   *
   * @throws IOException when it does not start; the message holds the end of its log
   */
  public synchronized void restart() throws IOException {
    stop();
    startAgain();
  }

  /**
   * Stops the server and removes its temporary directory; a directory given to the builder stays.
   * Further calls do nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    AtExit.remove(atExit);
    stop();
    if (temporary != null) {
      temporary.close();
    }
  }

  PostgresAccess access() {
    return new PostgresAccess(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", SUPERUSER, password);
  }

  private void endWithJvm() {
    if (temporary != null) {
      // nobody will want the data
      crash();
    }
    close();
  }

  private void startOnSomePort(int tries) throws IOException {
    for (int left = tries; ; left--) {
      if (port == 0) {
        port = FreePorts.next();
      }
      try {
        launch();
        return;
      } catch (IOException e) {
        if (left <= 1 || !serverLog().contains("could not bind")) {
          throw e;
        }
        port = 0;
      }
    }
  }

  private void launch() throws IOException {
    Path pidFile = data().resolve("postmaster.pid");
    // after a crash the file names a process that we saw end
    Files.deleteIfExists(pidFile);
    ServiceProcess started = ServiceProcess.start(spec("PostgreSQL", command(), logFile(), "INT"));
    process = started;
    try {
      // the last line of the file is the server's own word on whether it accepts connections
      Await.until(
          "PostgreSQL to accept connections",
          START_LIMIT,
          () ->
              !started.isAlive() || Files.readString(pidFile).stripTrailing().endsWith("\nready"));
      started.requireAlive();
    } catch (IOException | AssertionError e) {
      started.killTree();
      process = null;
      throw e instanceof IOException io ? io : new IOException(started.outputTail(), e);
    }
  }

  private List<String> command() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("max_connections", "200");
    all.put("log_line_prefix", "%m [%p] %e %q%u@%d %a ");
    all.put("log_lock_waits", "on");
    all.put("timezone", "UTC");
    all.put("log_timezone", "UTC");
    all.putAll(config);
    all.put("listen_addresses", "127.0.0.1");
    all.put("port", Integer.toString(port));
    all.put("unix_socket_directories", "");
    DURABILITY.forEach(name -> all.put(name, "on"));
    List<String> command =
        new ArrayList<>(List.of(home.resolve("bin/postgres").toString(), "-D", data().toString()));
    all.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    return command;
  }

  private ServiceProcess.Spec spec(
      String name, List<String> command, Path output, String deathSignal) {
    return new ServiceProcess.Spec(
        name, command, Map.of("LC_ALL", "C"), directory, output, output, account, deathSignal);
  }

  private void requireDurability() throws IOException {
    try (Connection connection = superConnection("postgres");
        Statement statement = connection.createStatement()) {
      for (String name : DURABILITY) {
        try (ResultSet row = statement.executeQuery("SHOW " + name)) {
          row.next();
          if (!"on".equals(row.getString(1))) {
            throw new IOException("PostgreSQL runs with " + name + " = " + row.getString(1));
          }
        }
      }
    } catch (SQLException e) {
      throw new IOException(
          "PostgreSQL started but does not answer: "
              + e.getMessage()
              + "\n"
              + ServiceProcess.tail(logFile()),
          e);
    }
  }

  private Path data() {
    return directory.resolve("data");
  }

  private Path logFile() {
    return directory.resolve("postgres.log");
  }

  /** Makes the data directory when there is none, and returns the superuser's password. */
  private String initialised() throws IOException {
    Path secret = directory.resolve("superuser");
    if (Files.exists(data().resolve("PG_VERSION"))) {
      return Files.readString(secret).strip();
    }
    String fresh = Secrets.hex(12);
    Files.createDirectories(data());
    Files.setPosixFilePermissions(data(), PosixFilePermissions.fromString("rwx------"));
    Files.writeString(secret, fresh);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    if (account != null) {
      account.own(data());
      account.own(secret);
    }
    List<String> command =
        List.of(
            home.resolve("bin/initdb").toString(),
            "-D",
            data().toString(),
            "-U",
            SUPERUSER,
            "--pwfile",
            secret.toString(),
            "--auth",
            "scram-sha-256",
            "--encoding",
            "UTF8",
            "--locale",
            "C",
            "--no-instructions");
    ServiceProcess.run(
        spec("initdb", command, directory.resolve("initdb.log"), "KILL"), START_LIMIT);
    return fresh;
  }

  private static Path prepared(Path directory) throws IOException {
    Files.createDirectories(directory);
    return directory;
  }

  /** A given directory may belong to anybody; what we make in it tells who we are. */
  private static @Nullable Account accountFor(Path directory) throws IOException {
    Path probe = Files.createTempFile(directory, "probe-", null);
    try {
      return Account.forServers(probe);
    } finally {
      Files.delete(probe);
    }
  }
}
