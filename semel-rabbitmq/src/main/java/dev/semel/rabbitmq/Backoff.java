package dev.semel.rabbitmq;

import java.time.Duration;
import java.util.function.LongSupplier;

/** When to try again: 200 ms after the first failure, doubling to 5 s. Used by one thread. */
final class Backoff {

  static final Duration FIRST = Duration.ofMillis(200);
  static final Duration LONGEST = Duration.ofSeconds(5);

  private final LongSupplier nanoTime;
  private long pause = FIRST.toNanos();
  private long failedAt;
  private long wait;

  Backoff(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void failed() {
    failedAt = nanoTime.getAsLong();
    wait = pause;
    pause = Math.min(2 * pause, LONGEST.toNanos());
  }

  void succeeded() {
    wait = 0;
    pause = FIRST.toNanos();
  }

  /** How long to wait still: 0 or less means now. */
  long nanosLeft() {
    return wait - (nanoTime.getAsLong() - failedAt);
  }

  boolean isDue() {
    return wait == 0 || nanosLeft() <= 0;
  }
}
