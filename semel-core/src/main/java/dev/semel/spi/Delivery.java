package dev.semel.spi;

import dev.semel.Message;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message by a broker, to be settled exactly once through a subscription of its
 * source.
 */
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
   * Whether this is anything but a clean first delivery, so that the message may have been in a run
   * that died: flagged as redelivered, counted as returned, or dead-lettered before.
   *
   * @return true if a trace is to be written before the message runs
   */
  default boolean suspect() {
    return redelivered();
  }

  /**
   * How often the broker took this message back from a client, as far as it tells: it may drop the
   * message after a number of returns.
   *
   * @return a number from 0; 0 if nobody counts
   */
  default int returns() {
    return 0;
  }

  /**
   * Why the source says that no handler may see the message, for example its size. It is parked
   * with its bytes.
   *
   * @return one line, or null for an ordinary message
   */
  default @Nullable String refusal() {
    return null;
  }

  /**
   * Whether the delivery can still be settled: its channel is the one that it came from. Once false
   * it stays false, and the broker gives the message to somebody else.
   *
   * @return false once the channel is closed
   */
  boolean live();
}
