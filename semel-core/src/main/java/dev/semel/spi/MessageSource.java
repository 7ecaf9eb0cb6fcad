package dev.semel.spi;

import dev.semel.Source;

/**
 * What an adapter implements: a reconcile loop of wanted against actual consumers. A closed
 * channel, a cancelled consumer, a deleted queue, a restart of the broker all end in the same
 * re-subscription.
 */
public interface MessageSource extends Source {

  /**
   * Checks once, before a worker starts, that the broker can be reached and has what is wanted.
   *
   * @throws dev.semel.ConfigurationException if waiting would not help: wrong credentials, no such
   *     queue, a queue that does not last
   * @throws dev.semel.UnavailableException if the broker cannot be reached
   */
  void check();

  /**
   * Whether the broker gives the messages of this source to one process at a time, and in order
   * (single active consumer). Only then can the order of an ordering key be kept. Known after
   * {@link #check()}.
   *
   * @return false if it does not, or if nobody knows
   */
  default boolean oneProcessAtATime() {
    return false;
  }

  /**
   * Begins to keep a consumer in being. Returns at once; {@link Intake#subscribed()} tells.
   *
   * @param intake where deliveries go
   * @param prefetch most deliveries that are unsettled at a time; after {@code wanted(false)} and
   *     {@code wanted(true)} those that were held meanwhile may come on top, so less than twice
   * @return the subscription
   */
  Subscription subscribe(Intake intake, int prefetch);
}
