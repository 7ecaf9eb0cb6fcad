package dev.semel.rabbitmq;

import com.rabbitmq.client.Envelope;
import dev.semel.Message;
import dev.semel.spi.Delivery;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A delivery; it belongs to the channel on which it came, and to no other. */
final class RabbitDelivery implements Delivery {

  private final ConsumerChannel channel;
  private final Envelope envelope;
  private final Message message;
  private final int maxMessageBytes;

  RabbitDelivery(ConsumerChannel channel, Envelope envelope, Message message, int maxMessageBytes) {
    this.channel = channel;
    this.envelope = envelope;
    this.message = message;
    this.maxMessageBytes = maxMessageBytes;
  }

  ConsumerChannel channel() {
    return channel;
  }

  long tag() {
    return envelope.getDeliveryTag();
  }

  @Override
  public Message message() {
    return message;
  }

  @Override
  public boolean redelivered() {
    return envelope.isRedeliver();
  }

  /**
   * Quorum queues count the returns, from 4.3 on in two headers, of which a first delivery has none
   * or 0. A copy from a dead-letter exchange may come without the flag.
   */
  @Override
  public boolean suspect() {
    Map<String, Object> headers = message.headers();
    return redelivered()
        || isCounted(headers.get("x-delivery-count"))
        || isCounted(headers.get("x-acquired-count"))
        || (headers.get("x-death") instanceof Collection<?> deaths && !deaths.isEmpty());
  }

  @Override
  public int returns() {
    return message.headers().get("x-delivery-count") instanceof Number count
        ? (int) Math.min(Integer.MAX_VALUE, Math.max(0, count.longValue()))
        : 0;
  }

  private static boolean isCounted(@Nullable Object count) {
    return count instanceof Number number && number.longValue() > 0;
  }

  @Override
  public @Nullable String refusal() {
    int size = message.size();
    return size <= maxMessageBytes
        ? null
        : "larger than maxMessageBytes: " + size + " bytes, " + maxMessageBytes + " allowed";
  }

  @Override
  public boolean live() {
    return channel.live();
  }

  @Override
  public String toString() {
    return "RabbitDelivery[" + tag() + ", " + message + "]";
  }
}
