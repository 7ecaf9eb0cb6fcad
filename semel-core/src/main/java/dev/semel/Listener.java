package dev.semel;

import java.time.Duration;

/**
 * Hears what happened; all methods do nothing by default.
 *
 * <p>Methods are called by the lane or loop that saw the thing, after the commit and after the
 * acknowledgement was handed to the source, in the order of one lane, without any lock or
 * transaction held. They should return at once. An exception is logged once and changes nothing.
 * What a crash interrupts between commit and call is never told: keep books in the database, not
 * here.
 */
public interface Listener {

  /**
   * A message was settled.
   *
   * @param settled the facts
   */
  default void settled(Settled settled) {}

  /**
   * A handler failed and its transaction was rolled back; the message is not settled.
   *
   * @param consumer the consumer
   * @param messageKey the key of the message
   * @param failures how often the key failed in this process, from 1
   * @param failure what was thrown
   */
  default void failed(String consumer, String messageKey, int failures, Throwable failure) {}

  /**
   * A copy was put aside for a moment, because another transaction is at work on its key.
   *
   * @param consumer the consumer
   * @param messageKey the key of the message
   */
  default void inFlight(String consumer, String messageKey) {}

  /**
   * A background loop has done a round successfully.
   *
   * @param loop its name, from a small fixed set
   */
  default void succeeded(String loop) {}

  /**
   * Something that Semel needs is away. Told once for each outage.
   *
   * @param outage what is away
   */
  default void outageBegan(Outage outage) {}

  /**
   * It is back.
   *
   * @param outage what was away, as told at the beginning
   * @param lasted how long it was seen to be away
   */
  default void outageEnded(Outage outage, Duration lasted) {}

  /**
   * The facts of a settled message.
   *
   * @param consumer the consumer
   * @param messageKey the key, or null if it had no usable one
   * @param outcome what became of it
   * @param redelivered whether the broker flagged this delivery as redelivered
   * @param attempt which run of the key in this process this was, from 1
   * @param handlerTime time in the handler; zero if it did not run; a share of the call for a
   *     {@link BatchHandler}
   * @param batchSize messages in the same transaction
   * @param age from receipt by this process to the acknowledgement
   */
  record Settled(
      String consumer,
      @org.jspecify.annotations.Nullable String messageKey,
      Outcome outcome,
      boolean redelivered,
      int attempt,
      Duration handlerTime,
      int batchSize,
      Duration age) {}

  /**
   * Something that is away.
   *
   * @param kind what sort of thing
   * @param name the consumer for {@link Kind#CONSUMER}, else {@code database}
   * @param reason one line
   */
  record Outage(Kind kind, String name, String reason) {
    /** What can be away. */
    public enum Kind {
      /** The database does not answer or cannot be written. */
      DATABASE,
      /** A consumer does not exist at its broker: connection, channel, queue or broker is gone. */
      CONSUMER,
      /** Five messages in a row failed alike, so something that the handlers need is away. */
      HANDLER_ENVIRONMENT
    }
  }
}
