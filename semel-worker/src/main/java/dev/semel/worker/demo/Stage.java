package dev.semel.worker.demo;

import dev.semel.worker.demo.Servers.Login;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The servers, up and ready. */
record Stage(DemoDatabase database, String amqpUri) {

  /** Starts what was not given, both at the same time. */
  static Stage build(Servers servers, Path directory, Cleanup cleanup) {
    CompletableFuture<String> broker =
        CompletableFuture.supplyAsync(() -> broker(servers, directory, cleanup));
    DemoDatabase database;
    try {
      database = cleanup.add(database(servers));
    } finally {
      // whoever fails, nothing is started behind the cleanup's back
      broker.handle((uri, e) -> null).join();
    }
    try {
      return new Stage(database, broker.join());
    } catch (CompletionException e) {
      throw e.getCause() instanceof DemoException known
          ? known
          : new DemoException("the embedded broker does not start: " + e.getCause(), e);
    }
  }

  private static String broker(Servers servers, Path directory, Cleanup cleanup) {
    if (servers.amqpUri() != null) {
      return servers.amqpUri();
    }
    try {
      return cleanup
          .add(EmbeddedBroker.start(servers.brokerPort(), directory.resolve("broker")))
          .uri();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static DemoDatabase database(Servers servers) {
    Login given = servers.database();
    try {
      return given == null
          ? EmbeddedDatabase.start(servers.databasePort())
          : GivenDatabase.prepare(given);
    } catch (SQLException | IOException | IllegalStateException e) {
      throw new DemoException(
          (given == null ? "the embedded PostgreSQL does not start: " : "cannot make the tables: ")
              + e.getMessage(),
          e);
    }
  }

  /** What a worker process finds in its environment. */
  Map<String, String> environment() {
    Login login = database.workers();
    Map<String, String> environment = new HashMap<>();
    environment.put(Assignment.AMQP_URI, amqpUri);
    environment.put(Assignment.JDBC_URL, login.url());
    if (login.user() != null) {
      environment.put(Assignment.JDBC_USER, login.user());
    }
    if (login.password() != null) {
      environment.put(Assignment.JDBC_PASSWORD, login.password());
    }
    return environment;
  }

  /** Never the URI, which holds the password. */
  @Override
  public String toString() {
    return "Stage[]";
  }
}
