package dev.semel.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A loopback proxy that loses what networks lose. In front of PostgreSQL ({@link #postgres}) it
 * understands enough of the protocol to find the client's COMMIT, sent as text or through a
 * prepared statement, and can lose the COMMIT itself or its answer. In front of anything else
 * ({@link #plain}) it can be silent, slow, cut and closed. Without an order it forwards faithfully.
 *
 * <p>It speaks no TLS: a PostgreSQL client that asks for it is told that the server has none.
 * Methods may be called from any thread.
 */
public final class TcpProxy implements AutoCloseable {

  private static final int CONNECT_MILLIS = 10_000;

  private final String targetHost;
  private final int targetPort;
  private final boolean postgres;
  private final ServerSocket listener;
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Order> order = new AtomicReference<>();
  private final AtomicLong commits = new AtomicLong();
  private final ProxyGate gate = new ProxyGate();
  private volatile boolean refusing;

  /** What to do at the next COMMIT, and whom to tell. */
  record Order(boolean answerOnly, CompletableFuture<Void> struck) {}

  private TcpProxy(String targetHost, int targetPort, boolean postgres) throws IOException {
    this.targetHost = targetHost;
    this.targetPort = targetPort;
    this.postgres = postgres;
    this.listener = new ServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next()));
    start("semel-proxy-" + listener.getLocalPort(), this::acceptAll);
  }

  /**
   * Starts a proxy in front of a PostgreSQL.
   *
   * @param host where the server is
   * @param port where the server is
   * @return the running proxy
   * @throws IOException when it cannot listen
   */
  public static TcpProxy postgres(String host, int port) throws IOException {
    return new TcpProxy(host, port, true);
  }

  /**
   * Starts a proxy in front of the server of a test database; reach it with {@link
   * TestDatabase#runtimeDataSource(int)}.
   *
   * @param database whose server to forward to
   * @return the running proxy
   * @throws IOException when it cannot listen
   */
  public static TcpProxy postgres(TestDatabase database) throws IOException {
    return postgres(database.host(), database.port());
  }

  /**
   * Starts a proxy that does not look into the bytes, for AMQP or HTTP.
   *
   * @param host where the server is
   * @param port where the server is
   * @return the running proxy; orders about COMMIT are refused
   * @throws IOException when it cannot listen
   */
  public static TcpProxy plain(String host, int port) throws IOException {
    return new TcpProxy(host, port, false);
  }

  /**
   * Where the proxy listens, on 127.0.0.1.
   *
   * @return TCP port
   */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * Orders that the server gets the next COMMIT and obeys, but the client never hears of it: its
   * connection is cut instead. A COMMIT that the server answers with an error or with ROLLBACK does
   * not count, its answer passes. Replaces an order that has not struck.
   *
   * @return completes when the server has committed and the connection is cut; cancelled when
   *     another order or {@link #disarm()} replaces this one
   * @throws IllegalStateException when the proxy is not one for PostgreSQL
   */
  public CompletableFuture<Void> swallowNextCommitAnswer() {
    return arm(true);
  }

  /**
   * Orders that the next COMMIT never reaches the server: the connection is cut on both sides, and
   * the server rolls back. Replaces an order that has not struck.
   *
   * @return completes when the connection is cut; cancelled when another order or {@link #disarm()}
   *     replaces this one
   * @throws IllegalStateException when the proxy is not one for PostgreSQL
   */
  public CompletableFuture<Void> swallowNextCommit() {
    return arm(false);
  }

  /** Takes back an order that has not struck. */
  public void disarm() {
    replace(null);
  }

  /**
   * From now on nothing is forwarded in either direction, while all connections stay open and new
   * ones are accepted: a network that swallows packets.
   */
  public void silence() {
    gate.shut();
  }

  /** Ends {@link #silence()}: what was held back goes on its way. */
  public void resume() {
    gate.open();
  }

  /**
   * Whether there is something that {@link #silence()} holds back right now.
   *
   * @return false also while the proxy is not silent
   */
  public boolean isHolding() {
    return gate.isHolding();
  }

  /**
   * Delays every request (with PostgreSQL a simple query or a Sync, otherwise every piece of data
   * from the client) before it is forwarded.
   *
   * @param duration zero for none, the default
   * @throws IllegalArgumentException when it is negative
   */
  public void delay(Duration duration) {
    gate.delay(duration);
  }

  /**
   * Whether new connections are closed as soon as they are made. Open ones stay.
   *
   * @param refuse true to close new ones, false, the default, to forward them
   */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /**
   * Cuts all open connections, on both sides.
   *
   * @return how many there were
   */
  public int cutAll() {
    int cut = 0;
    for (ProxiedConnection each : connections) {
      each.cut();
      cut++;
    }
    return cut;
  }

  /**
   * How many connections are open through this proxy.
   *
   * @return 0 or more
   */
  public int connectionCount() {
    return connections.size();
  }

  /**
   * How many times a client has sent COMMIT, swallowed ones included.
   *
   * @return 0 or more, always 0 for a plain proxy
   */
  public long commitsSeen() {
    return commits.get();
  }

  /** Stops listening and cuts all connections. */
  @Override
  public void close() throws IOException {
    disarm();
    listener.close();
    cutAll();
  }

  /**
   * Told by a connection before it forwards a COMMIT; returns the order that it must carry out, and
   * that is then its own.
   */
  @Nullable Order commitSeen() {
    commits.incrementAndGet();
    return order.getAndSet(null);
  }

  /** Told by a connection whose COMMIT did not commit. */
  void giveBack(Order unused) {
    if (!order.compareAndSet(null, unused)) {
      unused.struck().cancel(false);
    }
  }

  void forget(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private CompletableFuture<Void> arm(boolean answerOnly) {
    if (!postgres) {
      throw new IllegalStateException("a plain proxy does not see COMMIT: use TcpProxy.postgres");
    }
    Order fresh = new Order(answerOnly, new CompletableFuture<>());
    replace(fresh);
    return fresh.struck();
  }

  private void replace(@Nullable Order fresh) {
    Order old = order.getAndSet(fresh);
    if (old != null) {
      old.struck().cancel(false);
    }
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        // closed by us, or the client was gone before we looked
        continue;
      }
    }
  }

  private void serve(Socket client) throws IOException {
    if (refusing) {
      client.close();
      return;
    }
    Socket server = new Socket();
    try {
      server.connect(new InetSocketAddress(targetHost, targetPort), CONNECT_MILLIS);
    } catch (IOException e) {
      client.close();
      throw e;
    }
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    ProxiedConnection connection = new ProxiedConnection(this, gate, client, server);
    connections.add(connection);
    String name = "semel-proxy-" + port() + "-" + client.getPort();
    start(name + "-up", postgres ? connection::pumpPostgresRequests : connection::pumpBytesUp);
    start(name + "-down", postgres ? connection::pumpPostgresAnswers : connection::pumpBytesDown);
    if (listener.isClosed()) {
      connection.cut();
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
