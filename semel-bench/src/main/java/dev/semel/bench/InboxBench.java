package dev.semel.bench;

import dev.semel.Semel;
import dev.semel.testkit.ChildJvm;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * How fast messages become effects: hand-written loops and Semel on the same PostgreSQL and the
 * same RabbitMQ, in turn, each in a JVM of its own.
 *
 * <p>Each run has a fresh database and a fresh durable queue with the same messages. The effect is
 * one INSERT into a table without a unique key, and after the run every key must have exactly one.
 */
public final class InboxBench {

  private static final List<String> DURABILITY =
      List.of("fsync", "synchronous_commit", "full_page_writes");

  /** The slowest that is waited for. */
  private static final int LEAST_PER_SECOND = 100;

  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final Plan plan;
  private final Consumer<String> progress;
  private final Rates rates = new Rates();
  private final List<String> broken = new ArrayList<>();
  private final Map<String, String> servers = new LinkedHashMap<>();

  /**
   * A bench, not yet running.
   *
   * @param plan what is to be measured
   * @param progress is told one line for each run
   */
  public InboxBench(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Starts the servers, measures, and stops the servers.
   *
   * @return what was found
   * @throws BenchException if it cannot run
   */
  public BenchResult play() throws BenchException {
    long start = System.nanoTime();
    lookAtGivenBroker();
    try (RabbitNode node = plan.amqpUri() == null ? RabbitNode.start() : null;
        PostgresServer postgres = PostgresServer.start()) {
      String amqpUri = node == null ? plan.amqpUri() : node.createVhost("bench").amqpUri();
      readBack(postgres);
      for (int round = 1; round <= plan.rounds(); round++) {
        for (Contender contender : plan.only()) {
          double rate = measured(contender, postgres, amqpUri);
          progress.accept(
              "round " + round + ", " + contender.letter() + ": " + Math.round(rate) + " a second");
        }
      }
    } catch (IllegalStateException e) {
      throw new BenchException(e.getMessage() + "; or name a broker with --amqp", e);
    } catch (IOException | TimeoutException | SQLException e) {
      throw new BenchException("the bench cannot run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
    return new BenchResult(plan, servers, rates, broken, (System.nanoTime() - start) / 1e9);
  }

  /** Before anything is started. */
  private void lookAtGivenBroker() throws BenchException {
    if (plan.amqpUri() == null) {
      return;
    }
    try (Backlog empty = new Backlog(plan.amqpUri())) {
      servers.put("broker", empty.brokerVersion());
    } catch (IOException | TimeoutException e) {
      throw new BenchException("the bench cannot run: " + e.getMessage(), e);
    }
  }

  private void readBack(PostgresServer postgres) throws SQLException {
    try (Connection connection = postgres.superConnection("postgres");
        Statement statement = connection.createStatement()) {
      servers.put("PostgreSQL", show(statement, "server_version"));
      for (String name : DURABILITY) {
        servers.put(name, show(statement, name));
      }
    }
  }

  private static String show(Statement statement, String name) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  private double measured(Contender contender, PostgresServer postgres, String amqpUri)
      throws IOException, TimeoutException, SQLException, InterruptedException {
    try (TestDatabase database = postgres.createDatabase("bench");
        Backlog backlog = new Backlog(amqpUri)) {
      servers.putIfAbsent("broker", backlog.brokerVersion());
      prepare(database);
      backlog.fill(plan.messages());
      Assignment assignment =
          new Assignment(
              contender,
              plan.messages(),
              amqpUri,
              backlog.queue(),
              database.jdbcUrl(),
              database.ownerName(),
              database.ownerPassword());
      double rate = plan.messages() / (nanos(assignment) / 1e9);
      rates.add(contender, rate);
      check(contender, database, backlog.left());
      return rate;
    }
  }

  /** All tables are there for all; a checkpoint, so that nobody pays for the run before. */
  private static void prepare(TestDatabase database) throws SQLException {
    try (Connection connection = database.ownerDataSource().getConnection()) {
      Effects.createTables(connection);
    }
    Semel.builder(database.ownerDataSource()).build().schema().apply();
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
  private long nanos(Assignment assignment) throws IOException {
    ChildJvm.Builder builder =
        ChildJvm.builder(ContenderMain.class)
            .name("contender " + assignment.contender().letter())
            .heap("512m");
    assignment.environment().forEach(builder::env);
    Duration limit = START_LIMIT.plusSeconds(plan.messages() / LEAST_PER_SECOND);
    try (ChildJvm child = builder.start()) {
      String line = child.awaitLine("^" + ContenderMain.RESULT, limit);
      child.waitForExit(START_LIMIT);
      return Long.parseLong(line.substring(ContenderMain.RESULT.length()));
    } catch (AssertionError e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void check(Contender contender, TestDatabase database, int left) throws SQLException {
    Effects.Count count;
    try (Connection connection = database.ownerDataSource().getConnection()) {
      count = Effects.count(connection);
    }
    long lost = plan.messages() - count.once() - count.doubled();
    if (lost != 0 || count.doubled() != 0 || left != 0) {
      broken.add(
          "contender "
              + contender.letter()
              + ": "
              + lost
              + " messages without an effect, "
              + count.doubled()
              + " with more than one, "
              + left
              + " still in the queue");
    }
  }
}
