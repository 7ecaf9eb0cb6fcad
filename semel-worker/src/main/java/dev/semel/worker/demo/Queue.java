package dev.semel.worker.demo;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.semel.checker.Recorder;
import dev.semel.worker.demo.Payments.Payment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** The demo's own end of one queue: declares it, publishes, looks how full it is, deletes it. */
final class Queue implements AutoCloseable {

  private static final int CONFIRM_MILLIS = 30_000;
  private static final int CLOSE_MILLIS = 5_000;
  private static final int PERSISTENT = 2;

  private final Connection connection;
  private final Channel channel;
  private final String name;

  private Queue(Connection connection, Channel channel, String name) {
    this.connection = connection;
    this.channel = channel;
    this.name = name;
  }

  static Queue declare(String uri, String name) throws IOException {
    Connection connection = connect(uri);
    try {
      Channel channel = connection.createChannel();
      channel.queueDeclare(name, true, false, false, null);
      return new Queue(connection, channel, name);
    } catch (IOException e) {
      connection.abort(CLOSE_MILLIS);
      throw e;
    }
  }

  static Connection connect(String uri) throws IOException {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setAutomaticRecoveryEnabled(false);
    try {
      factory.setUri(uri);
      return factory.newConnection("semel-demo");
    } catch (TimeoutException e) {
      throw new IOException("the broker did not answer", e);
    } catch (java.net.URISyntaxException | java.security.GeneralSecurityException e) {
      throw new IllegalArgumentException("not the URI of a broker", e);
    }
  }

  String name() {
    return name;
  }

  /** Publishes persistent messages, and returns when the broker has confirmed all of them. */
  void publish(List<Payment> payments, Recorder recorder) throws IOException {
    channel.confirmSelect();
    for (Payment each : payments) {
      BasicProperties properties =
          new BasicProperties.Builder()
              .messageId(each.id())
              .deliveryMode(PERSISTENT)
              .contentType("application/json")
              .build();
      byte[] body = ("{\"cents\":" + each.cents() + "}").getBytes(StandardCharsets.UTF_8);
      channel.basicPublish("", name, true, properties, body);
    }
    try {
      channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    } catch (TimeoutException e) {
      throw new IOException("the broker did not confirm the messages", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    payments.forEach(each -> recorder.published(each.id()));
  }

  /** How many messages wait; some brokers count those in a worker's hand, some do not. */
  int depth() throws IOException {
    return channel.queueDeclarePassive(name).getMessageCount();
  }

  /** Takes out all that has come; nobody else may take from it. */
  List<Arrival> drain() throws IOException {
    List<Arrival> arrivals = new ArrayList<>();
    for (GetResponse each = channel.basicGet(name, true);
        each != null;
        each = channel.basicGet(name, true)) {
      arrivals.add(
          new Arrival(
              String.valueOf(each.getProps().getMessageId()),
              String.valueOf(each.getProps().getType()),
              new String(each.getBody(), StandardCharsets.UTF_8)));
    }
    return arrivals;
  }

  /** Deletes the queue. */
  @Override
  public void close() throws IOException {
    try {
      channel.queueDelete(name);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }
}
