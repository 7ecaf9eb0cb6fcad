package dev.semel.spi;

import dev.semel.Sender;

/** What an adapter implements to let messages out. */
public interface MessageSender extends Sender {

  /**
   * Checks once, before a relay starts, that the other side can be reached.
   *
   * @throws dev.semel.ConfigurationException if waiting would not help, such as wrong credentials
   * @throws dev.semel.UnavailableException if it cannot be reached
   */
  void check();

  /**
   * Begins to keep a connection in being. Returns at once.
   *
   * @param destination the name by which it is known here
   * @param outlook is told when the other side goes away and comes back
   * @return the destination at work
   */
  Sending open(String destination, Outlook outlook);

  /** Hears whether the other side can be reached. */
  interface Outlook {

    /**
     * It cannot be reached, or takes nothing. Told at least once for each outage.
     *
     * @param reason one line, without credentials
     */
    void away(String reason);

    /** It can be reached. */
    void back();
  }
}
