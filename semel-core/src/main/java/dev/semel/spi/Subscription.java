package dev.semel.spi;

import java.util.List;

/**
 * A wanted consumer at the broker, which the source keeps in being until it is closed. All methods
 * may be called by any thread and do not throw for a broker that is away: an acknowledgement that
 * cannot be sent is one that the broker answers with a redelivery.
 */
public interface Subscription extends AutoCloseable {

  /**
   * Acknowledges deliveries whose effect (or parked bytes) is committed. Deliveries that are not
   * live are passed over.
   *
   * @param deliveries in the order of their receipt
   */
  void acknowledge(List<? extends Delivery> deliveries);

  /**
   * Gives deliveries back to the broker, to be delivered again.
   *
   * @param deliveries those to be returned
   */
  void giveBack(List<? extends Delivery> deliveries);

  /**
   * Sets whether new messages are wanted. Deliveries that are held stay held; but where the broker
   * gives the messages to one process at a time and in order, they go back all together, since the
   * next process would otherwise begin with what comes after them.
   *
   * @param wanted false to take nothing new
   */
  void wanted(boolean wanted);

  /**
   * How many deliveries the source holds unsettled, those included that it has not handed over yet.
   *
   * @return 0 once nothing is held, which it stays while nothing is wanted
   */
  int held();

  /**
   * Gives back all that is held, in its order, and subscribes anew if messages are wanted. What was
   * delivered before is not live any more once this has happened, which is soon after the return.
   *
   * @param reason one line, for logs
   */
  void renew(String reason);

  /**
   * Whether the consumer exists at the broker, as far as is known.
   *
   * @return the state of this moment
   */
  boolean subscribed();

  /** Ends it: unsettled deliveries go back to the broker. */
  @Override
  void close();
}
