package dev.semel.rabbitmq;

import dev.semel.Source;
import java.util.Objects;

/**
 * RabbitMQ as a source.
 *
 * <p>What a source keeps in being is one connection and, on it, one channel with one consumer per
 * subscription. It never makes or changes anything at the broker: queues, their type, their
 * delivery limit and their dead-letter exchange are the operator's.
 *
 * <p>Before a worker starts it finds out, as far as it can, how the queue was declared, and warns
 * in the log of what may cost messages or their order, above all a quorum queue with a delivery
 * limit and no dead-letter exchange. For that the user of the URI needs the permission to configure
 * the queue; RabbitMQ logs an error, a refused declaration, for each argument that the queue has.
 * What a policy says about the queue cannot be seen: then a warning may be without ground, or
 * missing.
 */
public final class RabbitMq {

  private RabbitMq() {}

  /**
   * The messages of one queue, with all defaults: {@code source(amqpUri, queue).build()}.
   *
   * @param amqpUri as for {@link #source}
   * @param queue name of a queue that exists when messages are to flow
   * @return a source named {@code rabbitmq:<vhost>/<queue>}
   * @throws dev.semel.ConfigurationException if the URI or the name of the queue is not usable
   */
  public static Source queue(String amqpUri, String queue) {
    return source(amqpUri, queue).build();
  }

  /**
   * Starts to describe a source of the messages of one queue.
   *
   * <p>With {@code amqps://} the broker's certificate and host name are verified with the JVM's
   * default trust store ({@code javax.net.ssl.trustStore}). The credentials of the URI appear in no
   * log, name or exception.
   *
   * @param amqpUri {@code amqp[s]://user:password@host[:port]/vhost}, special characters
   *     percent-encoded; without a path the vhost is {@code /}
   * @param queue name of a queue that exists when messages are to flow
   * @return a builder with all defaults
   * @throws dev.semel.ConfigurationException if the URI or the name of the queue is not usable
   */
  public static RabbitSourceBuilder source(String amqpUri, String queue) {
    Objects.requireNonNull(amqpUri, "amqpUri");
    Objects.requireNonNull(queue, "queue");
    return new RabbitSourceBuilder(new Broker(BrokerUri.parse(amqpUri)), QueueName.checked(queue));
  }
}
