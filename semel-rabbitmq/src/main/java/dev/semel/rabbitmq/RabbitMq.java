package dev.semel.rabbitmq;

import dev.semel.Sender;
import dev.semel.Source;
import java.util.Objects;

/**
 * RabbitMQ as a source of messages, and as a destination of those in the outbox.
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

  /** The header that counts attempts to send a message of the outbox, from 1. */
  public static final String ATTEMPT_HEADER = "semel-attempt";

  /**
   * The header that tells apart what leaves under one id: it is in a dead letter, whose id is that
   * of the dead message.
   */
  public static final String PROMISE_HEADER = "semel-promise";

  /** The header that says before when a message of the outbox was not to leave; a timestamp. */
  public static final String NOT_BEFORE_HEADER = "semel-not-before";

  private RabbitMq() {}

  /**
   * Lets messages of the outbox out to exchanges of this broker.
   *
   * <p>A message has left when RabbitMQ has confirmed it and not returned it. It is persistent and
   * mandatory; its {@code message-id} is the id of the promise, its {@code timestamp} the time at
   * which it was stored, in whole seconds. Exchanges and queues are the operator's: where one is
   * missing, messages wait and leave once it is there.
   *
   * @param amqpUri as for {@link #source}
   * @return a sender, to be given to {@code Semel.Builder.sender}
   * @throws dev.semel.ConfigurationException if the URI is not usable
   */
  public static Sender sender(String amqpUri) {
    Objects.requireNonNull(amqpUri, "amqpUri");
    return new RabbitSender(new Broker(BrokerUri.parse(amqpUri)));
  }

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
