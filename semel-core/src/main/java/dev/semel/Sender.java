package dev.semel;

/**
 * How the messages of a destination leave the outbox. An adapter makes it, for example {@code
 * RabbitMq.sender(uri)}; what an adapter implements is {@code dev.semel.spi.MessageSender}.
 */
public interface Sender {

  /**
   * Where it sends to, without credentials, for people.
   *
   * @return the name
   */
  String name();
}
