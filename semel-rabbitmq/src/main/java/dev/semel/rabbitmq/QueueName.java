package dev.semel.rabbitmq;

import dev.semel.ConfigurationException;
import java.nio.charset.StandardCharsets;

/** What the protocol can carry as the name of a queue. */
final class QueueName {

  private static final int MAX_BYTES = 255;

  private QueueName() {}

  static String checked(String queue) {
    // to the broker an empty name means "the queue that this channel declared last"
    if (queue.isBlank()) {
      throw new ConfigurationException("the name of the RabbitMQ queue is blank: give a name");
    }
    if (queue.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw new ConfigurationException(
          "the name of the RabbitMQ queue is longer than "
              + MAX_BYTES
              + " bytes, which no queue can be: "
              + OneLine.of(queue.substring(0, 40))
              + "...");
    }
    return queue;
  }
}
