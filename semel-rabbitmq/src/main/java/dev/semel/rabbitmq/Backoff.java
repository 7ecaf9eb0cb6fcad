package dev.semel.rabbitmq;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When to try again: 200 ms after the first failure, doubling to 5 s. A success ends the wait, but
 * only one that lasted forgets the failures before it: a message that the client cannot even read
 * breaks the connection right after each success, and each time raises the delivery counts of all
 * its neighbours. Used by one thread.
 */
final class Backoff {

  static final Duration FIRST = Duration.ofMillis(200);
  static final Duration LONGEST = Duration.ofSeconds(5);

  private final LongSupplier nanoTime;
  private long pause = FIRST.toNanos();
  private long wait;
  private long failedAt;
  private long succeededAt;
  private boolean well;

  Backoff(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void failed() {
    failedAt = nanoTime.getAsLong();
    if (well && failedAt - succeededAt >= LONGEST.toNanos()) {
      pause = FIRST.toNanos();
    }
    well = false;
    wait = pause;
    pause = Math.min(2 * pause, LONGEST.toNanos());
  }

  void succeeded() {
    succeededAt = nanoTime.getAsLong();
    well = true;
    wait = 0;
  }

  /** How long to wait still; 0 means now. */
  long nanosLeft() {
    return wait == 0 ? 0 : Math.max(0, wait - (nanoTime.getAsLong() - failedAt));
  }

  boolean isDue() {
    return nanosLeft() == 0;
  }
}
