package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresServerTest {

  private static PostgresServer server;

  @BeforeAll
  static void start() throws Exception {
    long start = System.nanoTime();
    server = PostgresServer.builder().config("max_connections", "50").start();
    System.out.println("PostgreSQL started in " + (System.nanoTime() - start) / 1_000_000 + " ms");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void runsDurableAndConfigured() throws Exception {
    try (Connection connection = server.superConnection("postgres")) {
      assertThat(show(connection, "fsync")).isEqualTo("on");
      assertThat(show(connection, "full_page_writes")).isEqualTo("on");
      assertThat(show(connection, "synchronous_commit")).isEqualTo("on");
      assertThat(show(connection, "max_connections")).isEqualTo("50");
      assertThat(show(connection, "listen_addresses")).isEqualTo("127.0.0.1");
    }
    assertThatThrownBy(() -> PostgresServer.builder().config("FSYNC", "off"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keepsCommittedRowsAcrossCrashAndRestartOnTheSamePort() throws Exception {
    try (TestDatabase database = server.createDatabase("Crash-Test")) {
      int port = server.port();
      database.executeAsOwner("CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)");
      try (Connection open = database.ownerDataSource().getConnection();
          Statement statement = open.createStatement()) {
        open.setAutoCommit(false);
        statement.execute("INSERT INTO t VALUES (2)");
        server.crash();
        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(open::commit)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
      }
      assertThatThrownBy(() -> database.queryLong("SELECT 1")).isInstanceOf(SQLException.class);
      server.startAgain();
      assertThat(server.port()).isEqualTo(port);
      assertThat(database.queryLong("SELECT sum(id) FROM t")).isEqualTo(1);
      assertThat(server.serverLog()).contains("automatic recovery in progress");

      database.executeAsOwner("INSERT INTO t VALUES (10)");
      server.restart();
      assertThat(database.queryLong("SELECT sum(id) FROM t")).isEqualTo(11);
    }
  }

  @Test
  void separatesOwnerAndRuntimeRole() throws Exception {
    TestDatabase database = server.createDatabase("roles");
    database.executeAsOwner("CREATE TABLE t (id int)");
    try (Connection runtime = database.runtimeDataSource().getConnection();
        Statement statement = runtime.createStatement()) {
      assertThat(database.runtimeSessions()).hasSize(1).first().asString().startsWith("pid ");
      assertThatThrownBy(() -> statement.execute("SELECT * FROM t"))
          .hasMessageContaining("permission denied");
      assertThatThrownBy(() -> statement.execute("CREATE TABLE mine (id int)"))
          .hasMessageContaining("permission denied");
      assertThat(database.terminateRuntimeSessions()).isEqualTo(1);
      assertThatThrownBy(() -> statement.execute("SELECT 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
    }
    database.close();
    assertThatThrownBy(database::superConnection).hasMessageContaining("does not exist");
  }

  @Test
  void logsTheSqlState() throws Exception {
    try (Connection connection = server.superConnection("postgres");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> statement.execute("SELECT 1/0")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
    }
    assertThat(server.serverLog()).contains("22012", "25P02");
  }

  @Test
  void reusesAGivenDirectoryAndRemovesATemporaryOne(@TempDir Path parent) throws Exception {
    Files.setPosixFilePermissions(
        parent, java.nio.file.attribute.PosixFilePermissions.fromString("rwx--x--x"));
    Path kept = parent.resolve("kept");
    String password;
    try (PostgresServer first = PostgresServer.builder().directory(kept).start();
        Connection connection = first.superConnection("postgres");
        Statement statement = connection.createStatement()) {
      password = first.superuserPassword();
      statement.execute("CREATE TABLE t (id int)");
    }
    try (PostgresServer second = PostgresServer.builder().directory(kept).start();
        Connection connection = second.superConnection("postgres");
        Statement statement = connection.createStatement()) {
      assertThat(second.superuserPassword()).isEqualTo(password);
      statement.execute("SELECT * FROM t");
    }
    assertThat(Files.exists(kept.resolve("data/PG_VERSION"))).isTrue();
    dev.semel.testkit.TempDir.create("gone").close();
    assertThat(List.of(parent.getParent().toFile().list()))
        .noneMatch(name -> name.startsWith("semel-testkit-gone"));
  }

  private static String show(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row = statement.executeQuery("SHOW " + name)) {
      row.next();
      return row.getString(1);
    }
  }
}
