package dev.semel.testkit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;

/** One connection with one channel for one helper call; no automatic recovery. */
record AmqpSession(Connection connection, Channel channel) implements AutoCloseable {

  private static final int CLOSE_MILLIS = 5_000;

  static AmqpSession open(String uri) throws IOException {
    Connection connection = connect(uri);
    try {
      return new AmqpSession(connection, connection.createChannel());
    } catch (IOException | RuntimeException e) {
      connection.abort(CLOSE_MILLIS);
      throw e;
    }
  }

  static Connection connect(String uri) throws IOException {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
      factory.setAutomaticRecoveryEnabled(false);
      return factory.newConnection("semel-testkit");
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException("not an AMQP URI", e);
    } catch (TimeoutException e) {
      throw new IOException("RabbitMQ did not answer in time", e);
    }
  }

  @Override
  public void close() {
    connection.abort(CLOSE_MILLIS);
  }
}
