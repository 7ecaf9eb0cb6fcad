package dev.semel.spi;

/** The steps of the protocol, in their order; the engine names each one after it is done. */
public enum Step {
  /** A batch of deliveries was taken from the source. */
  RECEIVED,
  /** The transaction has begun and the keys are locked. */
  LOCKED,
  /** The new keys are inserted, uncommitted; the others are judged. */
  CLAIMED,
  /** The handlers have run. */
  HANDLED,
  /** The transaction is healthy and still the one that claimed; only the commit is missing. */
  VERIFIED,
  /** Effects and keys are committed. */
  COMMITTED,
  /** The acknowledgements are handed to the source. */
  SETTLED
}
