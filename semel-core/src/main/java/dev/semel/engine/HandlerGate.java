package dev.semel.engine;

import dev.semel.Listener.Outage;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether something that the handlers of one consumer need is away: a business table that is locked
 * or gone, a full disk. Five different messages in a row that fail with one SQLSTATE close the
 * gate. Then one lane goes on, message by message, with growing pauses; the first success, or a
 * failure of another kind, opens it.
 */
final class HandlerGate {

  private static final int IN_A_ROW = 5;
  private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private final String consumer;
  private final Outages outages;
  private final Set<String> keys = new LinkedHashSet<>();
  private @Nullable String state;
  private @Nullable Object owner;
  private long pause;

  HandlerGate(String consumer, Outages outages) {
    this.consumer = consumer;
    this.outages = outages;
  }

  /**
   * A message failed alone, and the database works.
   *
   * @return the keys whose failures are not their own: empty, or all of the row if the gate is
   *     closed
   */
  synchronized Set<String> failed(Object lane, String key, @Nullable String sqlState) {
    if (sqlState == null || !sqlState.equals(state)) {
      open();
      state = sqlState;
    }
    keys.add(key);
    if (sqlState == null || keys.size() < IN_A_ROW) {
      return Set.of();
    }
    if (owner == null) {
      owner = lane;
      pause = FIRST_PAUSE;
      outages.began(
          Outage.Kind.HANDLER_ENVIRONMENT,
          consumer,
          IN_A_ROW + " messages in a row failed with SQLSTATE " + sqlState);
    } else {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    return Set.copyOf(keys);
  }

  /** A message was applied. */
  synchronized void applied() {
    open();
    state = null;
  }

  private void open() {
    keys.clear();
    if (owner != null) {
      owner = null;
      notifyAll();
      outages.ended(Outage.Kind.HANDLER_ENVIRONMENT, consumer);
    }
  }

  synchronized boolean closed() {
    return owner != null;
  }

  /** Waits while closed: the lane that goes on for its pause, the others until it opens. */
  synchronized void pass(Object lane, BooleanSupplier enough) throws InterruptedException {
    long start = System.nanoTime();
    while (owner != null
        && !enough.getAsBoolean()
        && (owner != lane || System.nanoTime() - start < pause)) {
      wait(50);
    }
  }
}
