package dev.semel;

/**
 * A running set of consumers in this process, registered in the table {@code workers}. Safe for use
 * by many threads.
 */
public interface Worker extends AutoCloseable {

  /**
   * Whether it can work now.
   *
   * @return the state of this moment
   */
  Health health();

  /**
   * Stops: takes nothing new, lets running handlers finish up to the grace time, acknowledges what
   * is committed, gives the rest back to the broker, closes. Handlers that outlast the grace time
   * are rolled back. A second call waits for the first.
   */
  @Override
  void close();
}
