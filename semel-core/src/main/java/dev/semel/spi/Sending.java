package dev.semel.spi;

import java.util.List;

/** A destination at work. All methods may be called by any thread. */
public interface Sending extends AutoCloseable {

  /**
   * Takes messages to be sent in their order. Returns at once; each gets its answer in time. How
   * many are on their way is bounded by the caller.
   *
   * @param promises at least one; no two of them, nor of those that have no answer yet, have one
   *     ordering key
   */
  void send(List<? extends Promise> promises);

  /**
   * Whether it is to be given messages: it is connected, or would try to.
   *
   * @return false while it waits after a failure
   */
  boolean ready();

  /** Answers what has no answer yet with {@link Answer.Unsent}, and closes. */
  @Override
  void close();
}
