package dev.semel.bench;

import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Lets the contenders of a plan run in turn, on the same PostgreSQL and the same RabbitMQ. */
final class Bench {

  private final Plan plan;
  private final Consumer<String> progress;
  private final ServerFacts servers = new ServerFacts();
  private final Rates rates = new Rates();
  private final List<String> broken = new ArrayList<>();

  /**
   * A bench, not yet running.
   *
   * @param plan what is to be measured
   * @param progress is told one line for each run
   */
  Bench(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Starts the servers, measures, and stops the servers.
   *
   * @return what was found
   * @throws BenchException if it cannot run
   */
  BenchResult play() throws BenchException {
    long start = System.nanoTime();
    lookAtGivenBroker();
    try (RabbitNode node = plan.amqpUri() == null ? RabbitNode.start() : null;
        PostgresServer postgres = PostgresServer.start()) {
      String amqpUri = node == null ? plan.amqpUri() : node.createVhost("bench").amqpUri();
      servers.readBack(postgres);
      for (int round = 1; round <= plan.rounds(); round++) {
        for (Contender contender : plan.contenders()) {
          double rate = rate(contender, postgres, amqpUri);
          progress.accept(
              "round " + round + ", " + contender.name() + ": " + Math.round(rate) + " a second");
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
    double seconds = (System.nanoTime() - start) / 1e9;
    return new BenchResult(plan, servers.all(), rates, broken, seconds);
  }

  /** Before anything is started. */
  private void lookAtGivenBroker() throws BenchException {
    if (plan.amqpUri() == null) {
      return;
    }
    try (Backlog empty = new Backlog(plan.amqpUri())) {
      servers.broker(empty);
    } catch (IOException | TimeoutException e) {
      throw new BenchException("the bench cannot run: " + e.getMessage(), e);
    }
  }

  private double rate(Contender contender, PostgresServer postgres, String amqpUri)
      throws IOException, TimeoutException, SQLException, InterruptedException {
    try (Run run = new Run(contender, plan.messages(), postgres, amqpUri)) {
      servers.broker(run.backlog());
      Measured measured = run.measured();
      for (String fault : run.aftermath(measured).faults(plan.messages(), contender.scene())) {
        broken.add("contender " + contender.name() + ": " + fault);
      }
      double rate = plan.messages() / (measured.nanos() / 1e9);
      rates.add(contender, rate);
      return rate;
    }
  }
}
