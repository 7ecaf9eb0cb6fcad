package dev.semel.spi;

import dev.semel.Message;

/** One delivery of a message by a broker, to be settled exactly once through its subscription. */
public interface Delivery {

  /**
   * The message.
   *
   * @return the same object at each call
   */
  Message message();

  /**
   * The broker's flag. It says "this copy was sent to some client before", no more: the engine uses
   * it for telling, never for deciding whether a key is new.
   *
   * @return the flag
   */
  boolean redelivered();

  /**
   * Whether the delivery can still be settled: its channel is the one that it came from. Once false
   * it stays false, and the broker gives the message to somebody else.
   *
   * @return false once the channel is closed
   */
  boolean live();
}
