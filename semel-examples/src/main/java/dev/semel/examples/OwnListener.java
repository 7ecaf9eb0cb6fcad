package dev.semel.examples;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.LongString;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.SemelException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For those who keep a listener of their own, here one of the plain RabbitMQ client: the inbox
 * applies the message, the listener acknowledges.
 */
public final class OwnListener {

  private static final Logger LOG = LoggerFactory.getLogger(OwnListener.class);

  private final Channel channel;
  private final Inbox inbox;

  /**
   * A listener that does not listen yet.
   *
   * @param channel used by this listener alone
   * @param inbox for example {@code semel.inbox("payments")}
   */
  public OwnListener(Channel channel, Inbox inbox) {
    this.channel = channel;
    this.inbox = inbox;
  }

  /** Begins to take messages. A few are on their way, so that others flow past one that fails. */
  public void listen(String queue) throws IOException {
    channel.basicQos(10);
    channel.basicConsume(queue, false, (consumerTag, delivery) -> received(delivery), c -> {});
  }

  private void received(Delivery delivery) throws IOException {
    Message message = message(delivery);
    long tag = delivery.getEnvelope().getDeliveryTag();
    try {
      // tag::process
      Outcome outcome = inbox.process(message, PaymentWorker::book);
      if (outcome.settled()) {
        channel.basicAck(tag, false);
      } else {
        giveBackAfterPause(tag);
      }
      // end::process
    } catch (SemelException e) {
      // Nothing is stored, or a redelivery will find out what is; so it is safe to ask again.
      LOG.warn("message {} was not applied: {}", message.id(), e.toString());
      giveBackAfterPause(tag);
    }
  }

  // tag::message
  private static Message message(Delivery delivery) {
    BasicProperties properties = delivery.getProperties();
    Message.Builder message =
        Message.builder()
            .id(properties.getMessageId())
            .type(properties.getType())
            .body(delivery.getBody());
    if (properties.getTimestamp() != null) {
      message.timestamp(properties.getTimestamp().toInstant());
    }
    if (properties.getHeaders() != null) {
      properties.getHeaders().forEach((name, value) -> message.header(name, plain(value)));
    }
    return message.build();
  }

  /** The client wraps texts in a type of its own. */
  private static Object plain(Object value) {
    return value instanceof LongString ? value.toString() : value;
  }

  // end::message

  private void giveBackAfterPause(long tag) throws IOException {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // On a closed channel there is nothing to give back: the broker has done so.
    if (channel.isOpen()) {
      channel.basicNack(tag, false, true);
    }
  }
}
