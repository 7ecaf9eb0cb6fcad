package dev.semel.rabbitmq;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a queue was declared with. Policies are not in here: a client cannot see them.
 *
 * @param durable whether it is there after a restart of the broker
 * @param autoDelete whether it goes with its last consumer
 * @param arguments those that the broker compares, without those that are absent
 * @param version of the broker
 */
record QueueFacts(
    boolean durable, boolean autoDelete, Map<String, Object> arguments, ServerVersion version) {

  static final String TYPE = "x-queue-type";
  static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";
  static final String DELIVERY_LIMIT = "x-delivery-limit";
  static final String DEAD_LETTER_EXCHANGE = "x-dead-letter-exchange";

  QueueFacts {
    arguments = Map.copyOf(arguments);
  }

  boolean singleActiveConsumer() {
    // a stream takes the argument, but gives everything to every consumer of AMQP 0-9-1
    return Boolean.TRUE.equals(arguments.get(SINGLE_ACTIVE_CONSUMER)) && !stream();
  }

  boolean quorum() {
    return "quorum".equals(arguments.get(TYPE));
  }

  boolean stream() {
    return "stream".equals(arguments.get(TYPE));
  }

  /** The argument, whatever it means in this version; null if there is none. */
  @Nullable Long deliveryLimit() {
    return arguments.get(DELIVERY_LIMIT) instanceof Number limit ? limit.longValue() : null;
  }

  boolean deadLetters() {
    return arguments.containsKey(DEAD_LETTER_EXCHANGE);
  }
}
