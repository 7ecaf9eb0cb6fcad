package dev.semel.engine;

import dev.semel.Listener;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the user's listener so that an exception in it is logged once and changes nothing. */
final class Telling {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private final Listener listener;
  private final AtomicBoolean complained = new AtomicBoolean();

  Telling(Listener listener) {
    this.listener = listener;
  }

  void tell(Consumer<Listener> what) {
    try {
      what.accept(listener);
    } catch (Exception | LinkageError | AssertionError e) {
      if (complained.compareAndSet(false, true)) {
        LOG.warn("the listener threw; further exceptions of it are not logged", e);
      }
    }
  }
}
