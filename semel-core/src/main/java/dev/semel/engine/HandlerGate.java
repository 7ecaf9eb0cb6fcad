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
 * gate. Then one message at a time is tried, by the lanes in turn; the first success, or a failure
 * of another kind, opens it. The pauses grow only when a message is tried again: messages that have
 * not been tried yet may be good ones behind poison, and whichever lane holds one must get its
 * turn.
 */
final class HandlerGate {

  private static final int IN_A_ROW = 5;
  private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private final String consumer;
  private final Outages outages;
  private final Set<String> keys = new LinkedHashSet<>();
  private @Nullable String state;

  /** Lanes that want to try, in the order of their coming. */
  private final Set<Object> waiting = new LinkedHashSet<>();

  private boolean closed;
  private long closedAt;
  private boolean everClosed;
  private long appliedAt;
  private boolean everApplied;
  private @Nullable Object trying;
  private long nextTry;
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
  synchronized Set<String> failed(String key, @Nullable String sqlState) {
    if (sqlState == null || !sqlState.equals(state)) {
      open();
      state = sqlState;
    }
    boolean again = !keys.add(key);
    if (sqlState == null || keys.size() < IN_A_ROW) {
      return Set.of();
    }
    if (!closed) {
      closed = true;
      closedAt = System.nanoTime();
      everClosed = true;
      pause = FIRST_PAUSE;
      outages.began(
          Outage.Kind.HANDLER_ENVIRONMENT,
          consumer,
          IN_A_ROW + " messages in a row failed with SQLSTATE " + sqlState);
    } else if (again) {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    nextTry = System.nanoTime() + pause;
    return Set.copyOf(keys);
  }

  /** A message was applied. */
  synchronized void applied() {
    appliedAt = System.nanoTime();
    everApplied = true;
    open();
    state = null;
  }

  private void open() {
    keys.clear();
    if (closed) {
      closed = false;
      trying = null;
      notifyAll();
      outages.ended(Outage.Kind.HANDLER_ENVIRONMENT, consumer);
    }
  }

  synchronized boolean closed() {
    return closed;
  }

  /** Whether it is closed, or was at any time since a failure: then that was not the message's. */
  synchronized boolean closedSince(long failedAt) {
    return closed || everClosed && closedAt - failedAt >= 0;
  }

  /** Whether another message was applied since a failure: then that was the message's own. */
  synchronized boolean appliedSince(long failedAt) {
    return everApplied && appliedAt - failedAt >= 0;
  }

  /** Waits while closed, until it is this lane's turn to try one message. */
  synchronized void pass(Object lane, BooleanSupplier enough) throws InterruptedException {
    waiting.add(lane);
    try {
      while (closed && !enough.getAsBoolean()) {
        if (trying == null
            && System.nanoTime() - nextTry >= 0
            && waiting.iterator().next() == lane) {
          trying = lane;
          return;
        }
        wait(50);
      }
    } finally {
      waiting.remove(lane);
    }
  }

  /** The try is over, whatever came of it. */
  synchronized void passed(Object lane) {
    if (trying == lane) {
      trying = null;
      notifyAll();
    }
  }
}
