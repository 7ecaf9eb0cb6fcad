package dev.semel.rabbitmq;

import dev.semel.Setting;
import dev.semel.Source;

/**
 * One queue as a source, with what can be said about it. Immutable: each method returns another
 * builder. Made by {@link RabbitMq#source}; may be used by any thread.
 */
public final class RabbitSourceBuilder {

  /** {@link #maxMessageBytes(int)}. */
  public static final Setting<Integer> MAX_MESSAGE_BYTES =
      new Setting<>(
          "maxMessageBytes",
          "Largest body that handlers of a RabbitMQ source get to see. A larger message is parked"
              + " with its bytes. The heap must have room for what RabbitMQ itself lets in"
              + " (`max_message_size`), whatever is set here.",
          "bytes",
          "67108864 (64 MiB)",
          1,
          Broker.MAX_MESSAGE_BYTES);

  private static final int DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

  private final Broker broker;
  private final String queue;
  private final int maxMessageBytes;
  private final boolean singleActiveConsumer;

  RabbitSourceBuilder(Broker broker, String queue) {
    this(broker, queue, DEFAULT_MAX_MESSAGE_BYTES, false);
  }

  private RabbitSourceBuilder(
      Broker broker, String queue, int maxMessageBytes, boolean singleActiveConsumer) {
    this.broker = broker;
    this.queue = queue;
    this.maxMessageBytes = maxMessageBytes;
    this.singleActiveConsumer = singleActiveConsumer;
  }

  /**
   * The largest body that handlers get to see; 64 MiB unless set. A larger message is no failure of
   * the consumer: it is parked with its bytes and the reason, and the others go on. The client
   * reads a message whole before anybody can refuse it, so the heap must have room for the largest
   * that the broker lets in (its {@code max_message_size}: 128 MiB by default, 16 MiB from RabbitMQ
   * 4.0 on), times what is prefetched of that kind.
   *
   * @param bytes from 1 to 536870912 (512 MiB, the most to which RabbitMQ can be set)
   * @return another builder
   * @throws dev.semel.ConfigurationException if the number is outside of these bounds
   */
  public RabbitSourceBuilder maxMessageBytes(int bytes) {
    return new RabbitSourceBuilder(
        broker, queue, MAX_MESSAGE_BYTES.checked(bytes), singleActiveConsumer);
  }

  /**
   * Says that the queue was declared with {@code x-single-active-consumer}, so that its messages go
   * to one process at a time and their order can be kept. Needed only where Semel cannot find that
   * out by itself: the user of the URI lacks the permission to configure the queue, or the names of
   * queue, vhost and dead-letter routing key are so long (together some 130 characters) that
   * RabbitMQ cuts its answers. If it is found out that the queue is none, the worker does not
   * start.
   *
   * @return another builder
   */
  public RabbitSourceBuilder singleActiveConsumer() {
    return new RabbitSourceBuilder(broker, queue, maxMessageBytes, true);
  }

  /**
   * Makes the source. Nothing is connected yet.
   *
   * @return a source named {@code rabbitmq:<vhost>/<queue>}
   */
  public Source build() {
    return new RabbitSource(broker, queue, maxMessageBytes, singleActiveConsumer);
  }
}
