package dev.semel.checker;

/** What is judged. */
public enum Promise {
  /** No key has more than one effect. */
  AT_MOST_ONCE,

  /** Every published key has an effect, or is parked, or is still with the broker. */
  EVENTUALLY_ONCE,

  /** No effect without a published message. */
  NOTHING_INVENTED,

  /** No acknowledgement before the commit of the effect, or of the parked message. */
  ACKNOWLEDGE_AFTER_COMMIT,

  /** Every published copy is accounted for; see {@link Balance}. */
  CONSERVATION
}
