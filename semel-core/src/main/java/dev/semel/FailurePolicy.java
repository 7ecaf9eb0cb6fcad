package dev.semel;

/** What happens to a message whose handler failed. */
public enum FailurePolicy {
  /**
   * The default. The message is moved, with its bytes, into {@code parked_messages} and
   * acknowledged; there it is tried again by the consumer's {@link RetryPolicy}, and ends as a dead
   * letter that an operator sees, replays or discards. Attempts are counted durably, and the broker
   * is out of it.
   */
  PARK,

  /**
   * The message is held unacknowledged for a pause ({@link Setting#PAUSE}, doubled at each failure
   * of its key up to 60 s), then given back to the broker with {@code basic.nack(requeue=true)};
   * other messages flow meanwhile.
   *
   * <p>The risk: the count of failures lives in this process only, so a message that always fails
   * comes back for ever; on a quorum queue with a delivery limit it ends in the dead-letter
   * exchange of the queue, or nowhere when there is none. As many failing messages as the prefetch
   * stop the consumer until their pauses are over.
   */
  REQUEUE
}
