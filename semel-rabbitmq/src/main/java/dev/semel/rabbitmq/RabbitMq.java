package dev.semel.rabbitmq;

import dev.semel.Source;
import java.util.Objects;

/**
 * RabbitMQ as a source.
 *
 * <p>What a source keeps in being is one connection and, on it, one channel with one consumer per
 * subscription. It never declares or changes anything at the broker: queues, their type, their
 * delivery limit and their dead-letter exchange are the operator's.
 */
public final class RabbitMq {

  private RabbitMq() {}

  /**
   * The messages of one queue. Nothing is connected yet.
   *
   * <p>With {@code amqps://} the broker's certificate and host name are verified with the JVM's
   * default trust store ({@code javax.net.ssl.trustStore}). The credentials of the URI appear in no
   * log, name or exception.
   *
   * @param amqpUri {@code amqp[s]://user:password@host[:port]/vhost}, special characters
   *     percent-encoded; without a path the vhost is {@code /}
   * @param queue name of a queue that exists when messages are to flow
   * @return a source named {@code rabbitmq:<vhost>/<queue>}
   * @throws dev.semel.ConfigurationException if the URI or the name of the queue is not usable
   */
  public static Source queue(String amqpUri, String queue) {
    Objects.requireNonNull(amqpUri, "amqpUri");
    Objects.requireNonNull(queue, "queue");
    return new RabbitSource(new Broker(BrokerUri.parse(amqpUri)), QueueName.checked(queue));
  }
}
