package dev.semel;

/** What happens to a message whose handler failed. */
public enum FailurePolicy {
  /**
   * The message is held unacknowledged for a pause (1 s, doubled at each failure of its key up to
   * 60 s), then given back to the broker with {@code basic.nack(requeue=true)}; other messages flow
   * meanwhile.
   *
   * <p>The risk: the count of failures lives in this process only, so a message that always fails
   * comes back for ever; on a quorum queue with a delivery limit it ends in the dead-letter
   * exchange of the queue, or nowhere when there is none.
   */
  REQUEUE
}
