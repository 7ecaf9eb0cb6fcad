package dev.semel.rabbitmq;

import dev.semel.Message;
import dev.semel.spi.Delivery;

/** A delivery; it belongs to the channel on which it came, and to no other. */
final class RabbitDelivery implements Delivery {

  private final ConsumerChannel channel;
  private final long tag;
  private final boolean redelivered;
  private final Message message;

  RabbitDelivery(ConsumerChannel channel, long tag, boolean redelivered, Message message) {
    this.channel = channel;
    this.tag = tag;
    this.redelivered = redelivered;
    this.message = message;
  }

  ConsumerChannel channel() {
    return channel;
  }

  long tag() {
    return tag;
  }

  @Override
  public Message message() {
    return message;
  }

  @Override
  public boolean redelivered() {
    return redelivered;
  }

  @Override
  public boolean live() {
    return channel.live();
  }

  @Override
  public String toString() {
    return "RabbitDelivery[" + tag + ", " + message + "]";
  }
}
