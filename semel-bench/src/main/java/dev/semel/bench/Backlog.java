package dev.semel.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A durable queue full of persistent messages, made for one run. */
final class Backlog implements AutoCloseable {

  private static final int CONFIRM_EACH = 2_000;
  private static final long CONFIRM_MILLIS = 60_000;
  static final int BODY_BYTES = 200;
  private static final int LEAST_TAKEN_PER_SECOND = 1_000;
  private static final Duration FLAG_LIMIT = Duration.ofSeconds(60);
  private static final long SEED = 20_261_130;

  private final ConnectionFactory factory;
  private final Connection broker;
  private final String queue = "semel-bench-" + UUID.randomUUID();

  Backlog(String amqpUri) throws IOException, TimeoutException {
    factory = Assignment.connectionFactory(amqpUri);
    try {
      broker = factory.newConnection("semel-bench");
    } catch (PossibleAuthenticationFailureException e) {
      throw new IOException(
          "the broker refused user '" + factory.getUsername() + "'; correct --amqp", e);
    } catch (IOException e) {
      throw new IOException(
          "no broker at "
              + factory.getHost()
              + ":"
              + factory.getPort()
              + " lets us in ("
              + (e.getCause() == null ? e : e.getCause()).getMessage()
              + "); is it running, and is --amqp right?",
          e);
    }
  }

  String queue() {
    return queue;
  }

  String brokerVersion() {
    Map<String, Object> properties = broker.getServerProperties();
    return properties.get("product") + " " + properties.get("version");
  }

  /** The same messages each time; returns when the broker has all of them on disk. */
  void fill(int messages) throws IOException, InterruptedException, TimeoutException {
    try (Channel channel = broker.createChannel()) {
      channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "classic"));
      channel.confirmSelect();
      Random random = new Random(SEED);
      for (int i = 0; i < messages; i++) {
        String id = new UUID(random.nextLong(), random.nextLong()).toString();
        BasicProperties properties =
            new BasicProperties.Builder()
                .messageId(id)
                .contentType("application/json")
                .deliveryMode(2)
                .build();
        channel.basicPublish("", queue, true, properties, body(i));
        if (i % CONFIRM_EACH == 0) {
          channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        }
      }
      channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    }
  }

  /**
   * Has all messages come flagged as redelivered: a consumer takes them and goes without having
   * acknowledged any. Returns when all are back. On a classic queue a consumer without a prefetch
   * has no limit.
   */
  void flag(int messages) throws IOException, InterruptedException, TimeoutException {
    CountDownLatch open = new CountDownLatch(messages);
    Duration limit = FLAG_LIMIT.plusSeconds(messages / LEAST_TAKEN_PER_SECOND);
    try (Connection taker = factory.newConnection("semel-bench-taker")) {
      taker
          .createChannel()
          .basicConsume(queue, false, (tag, delivery) -> open.countDown(), tag -> {});
      if (!open.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException(
            open.getCount() + " of " + messages + " messages were not delivered to be flagged");
      }
    }
    try {
      Await.until("all flagged messages to be back", limit, () -> left() == messages);
    } catch (AssertionError e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static byte[] body(int number) {
    String start = "{\"payment\":" + number + ",\"amount\":" + number % 997 + ",\"note\":\"";
    String end = "\"}";
    String note = "x".repeat(BODY_BYTES - start.length() - end.length());
    return (start + note + end).getBytes(StandardCharsets.UTF_8);
  }

  /** What is left, now that no consumer is there any more. */
  int left() throws IOException, TimeoutException {
    try (Channel channel = broker.createChannel()) {
      return channel.queueDeclarePassive(queue).getMessageCount();
    }
  }

  @Override
  public void close() throws IOException {
    try (broker;
        Channel channel = broker.createChannel()) {
      channel.queueDelete(queue);
    } catch (TimeoutException e) {
      throw new IOException("the broker did not answer in time", e);
    }
  }
}
