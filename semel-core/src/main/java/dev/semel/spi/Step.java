package dev.semel.spi;

/** The steps of the protocol, in their order; the engine names each one after it is done. */
public enum Step {
  /** A batch of deliveries was taken from the source. */
  RECEIVED,
  /**
   * A row names what is about to run, since some of it may have killed a process before; and what
   * was in a run that died is parked. Both are committed.
   */
  STARTED,
  /** The transaction has begun and the keys are locked. */
  LOCKED,
  /** The new keys are inserted, uncommitted; the others are judged. */
  CLAIMED,
  /** The handlers have run. */
  HANDLED,
  /** What the handlers send is in the outbox, uncommitted. */
  PROMISED,
  /** The transaction is healthy and still the one that claimed; only the commit is missing. */
  VERIFIED,
  /** Effects and keys are committed. */
  COMMITTED,
  /** The acknowledgements are handed to the source. */
  SETTLED,
  /** A message that failed, or whose key stays in flight, is in its row, uncommitted. */
  PARKED,
  /** Parked messages are leased and their attempts counted, committed. */
  ATTEMPT_COUNTED,
  /** The rows of parked messages are locked: from here on nobody else can run them. */
  ROW_LOCKED,
  /** A relay holds shards of the outbox that it did not hold before; committed. */
  LEASED,
  /** Rows of the outbox are read, and are to be sent. */
  READ,
  /** A row was handed to its broker; nothing is known of it yet. */
  SENT,
  /** The broker has confirmed a row and not returned it. */
  CONFIRMED,
  /** What was confirmed is out of the outbox, and what was refused has its pause; committed. */
  MARKED
}
