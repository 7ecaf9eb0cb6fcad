package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@WithServices
class TcpProxyTest {

  private static TestDatabase database;
  private TcpProxy proxy;

  @BeforeAll
  static void createTable(TestDatabase fresh) throws SQLException {
    database = fresh;
    database.executeAsOwner(
        "CREATE TABLE t (id int NOT NULL)", "GRANT ALL ON t TO " + database.runtimeName());
  }

  @BeforeEach
  void startProxy() throws Exception {
    database.executeAsOwner("TRUNCATE t");
    proxy = TcpProxy.postgres(database);
  }

  @AfterEach
  void closeProxy() throws Exception {
    proxy.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"extended", "simple", "extendedCacheEverything"})
  void theServerCommitsAndTheClientIsLeftInDoubt(String mode) throws Exception {
    try (Connection connection = connect(mode)) {
      insert(connection, 1);
      CompletableFuture<Void> struck = proxy.swallowNextCommitAnswer();
      assertConnectionError(connection::commit);
      struck.get(5, TimeUnit.SECONDS);
      assertThat(rows()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"extended", "simple"})
  void theCommitNeverReachesTheServer(String mode) throws Exception {
    try (Connection connection = connect(mode)) {
      insert(connection, 1);
      CompletableFuture<Void> struck = proxy.swallowNextCommit();
      assertConnectionError(connection::commit);
      struck.get(5, TimeUnit.SECONDS);
      Await.until(
          "the server to notice",
          Duration.ofSeconds(10),
          () -> database.runtimeSessions().isEmpty());
      assertThat(rows()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPreparedCommitIsRecognised(boolean answerOnly) throws Exception {
    try (Connection connection = connect("extended")) {
      for (int i = 0; i < 12; i++) {
        insert(connection, i);
        connection.commit();
      }
      assertThat(proxy.commitsSeen()).isEqualTo(12);
      insert(connection, 12);
      CompletableFuture<Void> struck =
          answerOnly ? proxy.swallowNextCommitAnswer() : proxy.swallowNextCommit();
      assertConnectionError(connection::commit);
      struck.get(5, TimeUnit.SECONDS);
      assertThat(rows()).isEqualTo(answerOnly ? 13 : 12);
    }
  }

  @Test
  void aCommitThatFailsPassesAndTheOrderStays() throws Exception {
    database.executeAsOwner(
        "CREATE TABLE IF NOT EXISTS parent (id int PRIMARY KEY)",
        "CREATE TABLE IF NOT EXISTS child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
    database.executeAsOwner("GRANT ALL ON parent, child TO " + database.runtimeName());
    try (Connection connection = connect("extended");
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO child VALUES (1)");
      CompletableFuture<Void> struck = proxy.swallowNextCommitAnswer();
      assertThatThrownBy(connection::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23503"));
      assertThat(struck).isNotDone();
      insert(connection, 1);
      assertConnectionError(connection::commit);
      struck.get(5, TimeUnit.SECONDS);
      assertThat(rows()).isEqualTo(1);
    }
  }

  @Test
  void silenceHoldsBackAndResumeLetsGo() throws Exception {
    try (Connection connection = connect("extended")) {
      insert(connection, 1);
      proxy.silence();
      CompletableFuture<Void> commit =
          CompletableFuture.runAsync(() -> commitUnchecked(connection));
      Await.until("the commit to be on its way", Duration.ofSeconds(5), proxy::isHolding);
      assertThat(rows()).isZero();
      assertThat(commit).isNotDone();
      assertThat(proxy.connectionCount()).isEqualTo(1);
      proxy.resume();
      commit.get(5, TimeUnit.SECONDS);
      assertThat(rows()).isEqualTo(1);
    }
  }

  @Test
  void cutsRefusesAndDelays() throws Exception {
    try (Connection connection = connect("extended")) {
      insert(connection, 1);
      assertThat(proxy.cutAll()).isEqualTo(1);
      assertConnectionError(connection::commit);
    }
    proxy.refuse(true);
    assertConnectionError(() -> connect("extended"));
    proxy.refuse(false);
    try (Connection connection = connect("extended")) {
      proxy.delay(Duration.ofMillis(200));
      long start = System.nanoTime();
      insert(connection, 2);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(200), Duration.ofSeconds(3));
    }
  }

  @Test
  void aReplacedOrderIsCancelled() {
    CompletableFuture<Void> first = proxy.swallowNextCommit();
    CompletableFuture<Void> second = proxy.swallowNextCommitAnswer();
    assertThat(first).isCancelled();
    proxy.disarm();
    assertThat(second).isCancelled();
  }

  @Test
  void aPlainProxyCarriesAmqp(TestVhost vhost, RabbitNode node) throws Exception {
    String queue = vhost.declareQueue(vhost.unique("plain"));
    try (TcpProxy plain = TcpProxy.plain("127.0.0.1", node.port())) {
      assertThatThrownBy(plain::swallowNextCommit).isInstanceOf(IllegalStateException.class);
      TestVhost through =
          new TestVhost(node.amqpUri(vhost.name(), plain.port()), vhost.name(), "", () -> {});
      through.publish(queue, "m1", "through the proxy");
      assertThat(vhost.drainIds(queue)).containsExactly("m1");
      com.rabbitmq.client.Connection connection = through.connect();
      assertThat(plain.cutAll()).isEqualTo(1);
      Await.until("the client to notice", Duration.ofSeconds(5), () -> !connection.isOpen());
    }
  }

  private Connection connect(String mode) throws SQLException {
    PGSimpleDataSource source = (PGSimpleDataSource) database.runtimeDataSource(proxy.port());
    source.setPreferQueryMode(org.postgresql.jdbc.PreferQueryMode.of(mode));
    Connection connection = source.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static void insert(Connection connection, int id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
      statement.setInt(1, id);
      statement.executeUpdate();
    }
  }

  private static long rows() throws SQLException {
    return database.queryLong("SELECT count(*) FROM t");
  }

  private static void commitUnchecked(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertConnectionError(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
  }
}
