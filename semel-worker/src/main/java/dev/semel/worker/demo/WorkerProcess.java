package dev.semel.worker.demo;

import com.rabbitmq.client.Connection;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Semel;
import dev.semel.checker.Recorder;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.worker.demo.Servers.Login;
import java.time.Duration;
import java.util.Map;

/** The main class of a worker's JVM. */
final class WorkerProcess {

  private static final int SPARE_CONNECTIONS = 5;

  /** Short, so that what a killed relay had for itself does not wait long for another. */
  private static final Duration RELAY_LEASE = Duration.ofSeconds(2);

  private static final Duration RELAY_POLL = Duration.ofMillis(100);

  private WorkerProcess() {}

  /** Arguments: see {@link Assignment}. */
  public static void main(String[] args) throws Exception {
    Assignment assignment = Assignment.of(args);
    ParentWatch parent = ParentWatch.start();
    String consumer = assignment.contender().id();
    try (Recorder recorder = Recorder.open(assignment.history(), consumer)) {
      Witness witness = new Witness(recorder, consumer, assignment.kill());
      if (assignment.contender() == Contender.SEMEL) {
        semel(assignment, witness, parent);
      } else {
        tutorial(assignment, witness, parent);
      }
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }

  private static void tutorial(Assignment assignment, Witness witness, ParentWatch parent)
      throws Exception {
    Charge charge = new Charge(assignment.effects());
    try (Connection broker = Queue.connect(System.getenv(Assignment.AMQP_URI));
        var channel = broker.createChannel();
        var database = GivenDatabase.dataSource(login()).getConnection()) {
      Workman workman =
          assignment.contender() == Contender.ACK_FIRST
              ? new AckFirstWorkman(channel, assignment.queue(), database, charge, witness)
              : new NaiveWorkman(channel, assignment.queue(), database, charge, witness);
      workman.run(parent);
    }
  }

  private static void semel(Assignment assignment, Witness witness, ParentWatch parent)
      throws Exception {
    try (HikariDataSource pool = pool(SemelWorkman.LANES + SPARE_CONNECTIONS)) {
      new SemelWorkman(
              assignment,
              RabbitMq.queue(System.getenv(Assignment.AMQP_URI), assignment.queue()),
              pool,
              new Charge(assignment.effects()),
              witness)
          .run(parent);
    }
  }

  static HikariDataSource pool(int connections) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(GivenDatabase.dataSource(login()));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  /** Events leave from this process. */
  static void relaying(Semel.Builder builder) {
    builder
        .sender(RabbitMq.sender(System.getenv(Assignment.AMQP_URI)))
        .relayLease(RELAY_LEASE)
        .relayPoll(RELAY_POLL);
  }

  private static Login login() {
    Map<String, String> environment = System.getenv();
    return new Login(
        environment.get(Assignment.JDBC_URL),
        environment.get(Assignment.JDBC_USER),
        environment.get(Assignment.JDBC_PASSWORD));
  }
}
