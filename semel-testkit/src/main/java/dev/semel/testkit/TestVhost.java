package dev.semel.testkit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * A vhost of one test class with helpers for its queues. Every helper opens and closes a connection
 * of its own, so that none is left, and none is hurt, when the broker is restarted. On a broker
 * that was given with SEMEL_TEST_AMQP_URI the vhost is that of the URI, shared with others: name
 * queues with {@link #unique(String)}.
 */
public final class TestVhost implements AutoCloseable {

  private static final Duration CONFIRM_LIMIT = Duration.ofSeconds(20);

  private final String amqpUri;
  private final String name;
  private final String queuePrefix;
  private final Deletion deletion;

  /** What closing does to the vhost. */
  @FunctionalInterface
  interface Deletion {
    void run() throws IOException;
  }

  TestVhost(String amqpUri, String name, String queuePrefix, Deletion deletion) {
    this.amqpUri = amqpUri;
    this.name = name;
    this.queuePrefix = queuePrefix;
    this.deletion = deletion;
  }

  /**
   * URI with credentials and this vhost.
   *
   * @return the URI
   */
  public String amqpUri() {
    return amqpUri;
  }

  /**
   * Name of the vhost, unescaped.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * A queue name that no other test uses.
   *
   * @param base how it starts, after a prefix of this vhost where the vhost is shared
   * @return the name
   */
  public String unique(String base) {
    return queuePrefix + base + "-" + Secrets.hex(3);
  }

  /**
   * Opens a connection without automatic recovery.
   *
   * @return a connection that the caller closes
   * @throws IOException when the broker does not answer
   */
  public Connection connect() throws IOException {
    return AmqpSession.connect(amqpUri);
  }

  /**
   * Declares a durable classic queue; one that exists with the same arguments is fine.
   *
   * @param queue its name
   * @return the name
   * @throws IOException when the broker refuses
   */
  public String declareQueue(String queue) throws IOException {
    return declareQueue(queue, Map.of());
  }

  /**
   * Declares a durable queue.
   *
   * @param queue its name
   * @param arguments for example {@code x-queue-type}, {@code x-dead-letter-exchange}
   * @return the name
   * @throws IOException when the broker refuses, for example because the queue exists with other
   *     arguments
   */
  public String declareQueue(String queue, Map<String, Object> arguments) throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      return session.channel().queueDeclare(queue, true, false, false, arguments).getQueue();
    }
  }

  /**
   * Publishes a persistent message to a queue, and returns when the broker has confirmed it.
   *
   * @param queue an existing queue
   * @param messageId the property message-id
   * @param body the bytes, written as UTF-8
   * @throws IOException when the broker does not take the message, also when the queue does not
   *     exist
   */
  public void publish(String queue, String messageId, String body) throws IOException {
    publish(queue, messageId, body, Map.of());
  }

  /**
   * Publishes a persistent message with headers to a queue, and returns when the broker has
   * confirmed it.
   *
   * @param queue an existing queue
   * @param messageId the property message-id
   * @param body the bytes, written as UTF-8
   * @param headers the message's headers
   * @throws IOException when the broker does not take the message, also when the queue does not
   *     exist
   */
  public void publish(String queue, String messageId, String body, Map<String, Object> headers)
      throws IOException {
    BasicProperties properties =
        new BasicProperties.Builder().messageId(messageId).deliveryMode(2).headers(headers).build();
    publishAll(
        List.of(new Publication("", queue, properties, body.getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * Publishes messages over one channel, in order, and returns when the broker has confirmed all of
   * them.
   *
   * @param publications the messages
   * @throws IOException when the broker does not confirm within 20 s, refuses one, or could not
   *     route one
   */
  public void publishAll(List<Publication> publications) throws IOException {
    List<String> returned = new ArrayList<>();
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      session.channel().confirmSelect();
      session
          .channel()
          .addReturnListener(
              back -> returned.add(back.getRoutingKey() + ": " + back.getReplyText()));
      for (Publication each : publications) {
        session
            .channel()
            .basicPublish(each.exchange(), each.routingKey(), true, each.properties(), each.body());
      }
      session.channel().waitForConfirmsOrDie(CONFIRM_LIMIT.toMillis());
    } catch (TimeoutException e) {
      throw new IOException(
          "RabbitMQ did not confirm within " + CONFIRM_LIMIT.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while publishing", e);
    }
    if (!returned.isEmpty()) {
      throw new IOException("not routed: " + returned);
    }
  }

  /**
   * One message to publish.
   *
   * @param exchange name of the exchange, empty for the default one
   * @param routingKey the key; with the default exchange the name of the queue
   * @param properties sent as they are: set delivery mode 2 for a persistent message
   * @param body the bytes
   */
  public record Publication(
      String exchange, String routingKey, BasicProperties properties, byte[] body) {}

  /**
   * How many messages wait in a queue; deliveries not yet acknowledged do not count.
   *
   * @param queue an existing queue
   * @return 0 or more
   * @throws IOException when the broker does not answer or the queue does not exist
   */
  public int readyCount(String queue) throws IOException {
    return state(queue).getMessageCount();
  }

  /**
   * How many consumers a queue has.
   *
   * @param queue an existing queue
   * @return 0 or more
   * @throws IOException when the broker does not answer or the queue does not exist
   */
  public int consumerCount(String queue) throws IOException {
    return state(queue).getConsumerCount();
  }

  /**
   * Takes all messages that wait in a queue.
   *
   * @param queue an existing queue
   * @return the messages in queue order, acknowledged
   * @throws IOException when the broker does not answer or the queue does not exist
   */
  public List<GetResponse> drain(String queue) throws IOException {
    List<GetResponse> drained = new ArrayList<>();
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      for (GetResponse next = session.channel().basicGet(queue, false);
          next != null;
          next = session.channel().basicGet(queue, false)) {
        drained.add(next);
      }
      if (!drained.isEmpty()) {
        session
            .channel()
            .basicAck(drained.get(drained.size() - 1).getEnvelope().getDeliveryTag(), true);
        // an answer to a later request says that the acknowledgement has arrived
        session.channel().queueDeclarePassive(queue);
      }
    }
    return drained;
  }

  /**
   * Takes all messages that wait in a queue, and tells their ids.
   *
   * @param queue an existing queue
   * @return the property message-id of each in queue order; the word {@code null} for a message
   *     without
   * @throws IOException when the broker does not answer or the queue does not exist
   */
  public List<String> drainIds(String queue) throws IOException {
    return drain(queue).stream()
        .map(each -> String.valueOf(each.getProps().getMessageId()))
        .toList();
  }

  /**
   * Removes all messages that wait in a queue.
   *
   * @param queue an existing queue
   * @throws IOException when the broker does not answer or the queue does not exist
   */
  public void purge(String queue) throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      session.channel().queuePurge(queue);
    }
  }

  /**
   * Deletes a queue; an unknown one is no failure.
   *
   * @param queue its name
   * @throws IOException when the broker does not answer
   */
  public void deleteQueue(String queue) throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      session.channel().queueDelete(queue);
    }
  }

  /**
   * Deletes the vhost with its queues and connections, unless it is shared.
   *
   * @throws IOException when the broker does not answer
   */
  @Override
  public void close() throws IOException {
    deletion.run();
  }

  private DeclareOk state(String queue) throws IOException {
    try (AmqpSession session = AmqpSession.open(amqpUri)) {
      return session.channel().queueDeclarePassive(queue);
    }
  }

  @Override
  public String toString() {
    return "TestVhost[" + name + "]";
  }
}
