package dev.semel.bench;

import dev.semel.Semel;
import dev.semel.testkit.ChildJvm;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * One run of one contender, in a JVM of its own, with a fresh database and a fresh durable queue of
 * the same messages. The effect is one INSERT into a table without a unique key.
 */
final class Run implements AutoCloseable {

  /** The slowest that is waited for. */
  private static final int LEAST_PER_SECOND = 100;

  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final Contender contender;
  private final int messages;
  private final String amqpUri;
  private final Backlog backlog;
  private final TestDatabase database;

  Run(Contender contender, int messages, PostgresServer postgres, String amqpUri)
      throws IOException, TimeoutException, SQLException {
    this.contender = contender;
    this.messages = messages;
    this.amqpUri = amqpUri;
    this.backlog = new Backlog(amqpUri);
    try {
      this.database = postgres.createDatabase("bench");
    } catch (SQLException | RuntimeException e) {
      backlog.close();
      throw e;
    }
  }

  Backlog backlog() {
    return backlog;
  }

  Measured measured() throws IOException, TimeoutException, SQLException, InterruptedException {
    prepareDatabase();
    contender.scene().arrange(backlog, messages);
    return inJvm(
        new Assignment(
            contender.way(),
            messages,
            amqpUri,
            backlog.queue(),
            database.jdbcUrl(),
            database.ownerName(),
            database.ownerPassword()));
  }

  /** All tables are there for all; a checkpoint, so that nobody pays for what was before. */
  private void prepareDatabase() throws SQLException {
    try (Connection connection = database.ownerDataSource().getConnection()) {
      Effects.createTables(connection);
    }
    Semel.builder(database.ownerDataSource()).build().schema().apply();
    contender.scene().arrange(database);
    try (Connection connection = database.superConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CHECKPOINT");
    }
  }

  /**
   * The same JVM for all: the test kit's, with the client compiler and the serial collector. For a
   * run of seconds on few cores that is the fastest for every contender: the server compiler takes
   * more from it than it gives back, most from those who are done first.
   */
  private Measured inJvm(Assignment assignment) throws IOException {
    ChildJvm.Builder builder =
        ChildJvm.builder(ContenderMain.class).name("contender " + contender.name()).heap("512m");
    assignment.environment().forEach(builder::env);
    Duration limit = START_LIMIT.plusSeconds(messages / LEAST_PER_SECOND);
    try (ChildJvm child = builder.start()) {
      String line = child.awaitLine(Measured.LINE, limit);
      child.waitForExit(START_LIMIT);
      return Measured.parse(line);
    } catch (AssertionError e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  Aftermath aftermath(Measured measured) throws IOException, TimeoutException, SQLException {
    try (Connection connection = database.ownerDataSource().getConnection()) {
      return new Aftermath(
          Effects.count(connection),
          backlog.left(),
          ParkedRows.count(connection),
          measured.redelivered());
    }
  }

  @Override
  public void close() throws IOException, SQLException {
    try (database) {
      backlog.close();
    }
  }
}
