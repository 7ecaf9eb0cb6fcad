package dev.semel;

/** What became of one message. An expected duplicate is a value, never an exception. */
public sealed interface Outcome {

  /** The handler ran, and its effect and the key are committed. */
  record Applied() implements Outcome {}

  /** The key had been applied before, by a message with the same fingerprint; nothing was done. */
  record Duplicate() implements Outcome {}

  /** Another transaction is at work on this key now; nothing was done. Ask again later. */
  record InFlight() implements Outcome {}

  /**
   * The key had been applied before by a message with other bytes: the producer used one id for two
   * things. The message is in {@code parked_messages}, committed.
   */
  record Conflict() implements Outcome {}

  /**
   * The message is older than the oldest key that is still known, so nobody can say whether it was
   * applied. It is in {@code parked_messages}, committed, and never runs by itself.
   */
  record TooOld() implements Outcome {}

  /**
   * The message had an expiry of its own ({@code expiration}), which was over before it could run.
   * It is in {@code parked_messages}, committed.
   */
  record Expired() implements Outcome {}

  /**
   * The message is in {@code parked_messages}, committed, or an equal one was there already.
   *
   * @param reason why, one line
   */
  record Parked(String reason) implements Outcome {}

  /**
   * Whether the message needs no further delivery: its effect or its bytes are committed.
   *
   * @return true for all but {@link InFlight}
   */
  default boolean settled() {
    return !(this instanceof InFlight);
  }
}
