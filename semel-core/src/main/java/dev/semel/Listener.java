package dev.semel;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
   * A message became a dead letter: it does not run again by itself, and later messages of its
   * ordering key go on without it.
   *
   * @param consumer the consumer
   * @param messageKey the key, or null if it had no usable one
   * @param reason why, one line
   */
  default void died(String consumer, @Nullable String messageKey, String reason) {}

  /**
   * Messages may wait here for longer than the broker allows: {@code prefetch × handlerTime ÷
   * lanes} is above half of the acknowledgement timeout. Told once for each doubling of the handler
   * time.
   *
   * @param consumer the consumer
   * @param handlerTime the longest time in the handler that was seen of late
   * @param advice the remedies, with numbers, one line
   */
  default void acknowledgementsLate(String consumer, Duration handlerTime, String advice) {}

  /**
   * A copy was put aside for a moment, because another transaction is at work on its key.
   *
   * @param consumer the consumer
   * @param messageKey the key of the message
   */
  default void inFlight(String consumer, String messageKey) {}

  /**
   * Messages have left the outbox: their broker has confirmed them, and that is stored.
   *
   * @param destination where they went
   * @param count how many, from 1
   * @param oldest how long ago the oldest of them was stored, by the clocks of database and worker
   */
  default void relayed(String destination, int count, Duration oldest) {}

  /**
   * A message of the outbox did not leave.
   *
   * @param destination where it was to go
   * @param messageId its id
   * @param reason what the other side said, one line
   * @param parked whether it does not leave by itself any more
   */
  default void notRelayed(String destination, UUID messageId, String reason, boolean parked) {}

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
   * @param redelivered whether the broker flagged this delivery as redelivered; false for a message
   *     that ran from {@code parked_messages}
   * @param attempt which run of the message this was, from 1: counted durably for a parked message,
   *     else in this process
   * @param handlerTime time in the handler; zero if it did not run; a share of the call for a
   *     {@link BatchHandler}
   * @param batchSize messages in the same transaction
   * @param age from receipt by this process to the acknowledgement
   */
  record Settled(
      String consumer,
      @Nullable String messageKey,
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
   * @param name {@code database} for {@link Kind#DATABASE}, else the consumer
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
      HANDLER_ENVIRONMENT,
      /** So many parked messages wait that the intake has stopped. */
      PARKED_LIMIT,
      /** Where messages of the outbox go to cannot be reached, or takes nothing. */
      DESTINATION,
      /** What has left cannot be marked as such, though the database works; nothing is sent. */
      OUTBOX
    }
  }
}
