package dev.semel.rabbitmq;

import com.rabbitmq.client.Connection;
import dev.semel.spi.MessageSender;
import dev.semel.spi.Sending;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** RabbitMQ as a destination: address and routing key are those of an exchange. */
final class RabbitSender implements MessageSender {

  private static final int CLOSE_MILLIS = 2_000;

  private final Broker broker;

  RabbitSender(Broker broker) {
    this.broker = broker;
  }

  @Override
  public String name() {
    return "rabbitmq:" + broker.uri().vhost();
  }

  @Override
  public void check() {
    try {
      Connection connection = broker.connect("semel-outbox:check", "semel-rabbitmq-check");
      connection.abort(CLOSE_MILLIS);
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw new Refusals(broker.uri()).ofConnection(e);
    }
  }

  @Override
  public Sending open(String destination, Outlook outlook) {
    return new RabbitSending(broker, destination, outlook).start();
  }

  @Override
  public String toString() {
    return name();
  }
}
