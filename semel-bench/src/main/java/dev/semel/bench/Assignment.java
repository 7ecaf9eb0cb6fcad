package dev.semel.bench;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.postgresql.ds.PGSimpleDataSource;

/** What a contender's JVM is to do; it travels in the environment, which holds secrets better. */
record Assignment(
    Way way,
    int messages,
    String amqpUri,
    String queue,
    String jdbcUrl,
    String user,
    String password) {

  private static final String PREFIX = "SEMEL_BENCH_";

  Map<String, String> environment() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(PREFIX + "WAY", way.name());
    all.put(PREFIX + "MESSAGES", Integer.toString(messages));
    all.put(PREFIX + "AMQP_URI", amqpUri);
    all.put(PREFIX + "QUEUE", queue);
    all.put(PREFIX + "JDBC_URL", jdbcUrl);
    all.put(PREFIX + "JDBC_USER", user);
    all.put(PREFIX + "JDBC_PASSWORD", password);
    return all;
  }

  static Assignment fromEnvironment() {
    return new Assignment(
        Way.valueOf(variable("WAY")),
        Integer.parseInt(variable("MESSAGES")),
        variable("AMQP_URI"),
        variable("QUEUE"),
        variable("JDBC_URL"),
        variable("JDBC_USER"),
        variable("JDBC_PASSWORD"));
  }

  private static String variable(String name) {
    return Objects.requireNonNull(System.getenv(PREFIX + name), PREFIX + name);
  }

  /** The same driver and settings for all; no pool, since all of them keep their connections. */
  PGSimpleDataSource dataSource() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl);
    source.setUser(user);
    source.setPassword(password);
    // multi-row inserts for JDBC batches: worth having, so all have it
    source.setReWriteBatchedInserts(true);
    return source;
  }

  ConnectionFactory connectionFactory() throws IOException {
    return connectionFactory(amqpUri);
  }

  static ConnectionFactory connectionFactory(String amqpUri) throws IOException {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(amqpUri);
    } catch (URISyntaxException | GeneralSecurityException | RuntimeException e) {
      // without a cause, which would quote the password
      throw new IOException("--amqp must look like amqp://USER:PASSWORD@HOST:5672/VHOST");
    }
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }
}
