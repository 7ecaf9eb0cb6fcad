package dev.semel.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Where a proxy's data waits: while the proxy is silent, and for the ordered delay. */
final class ProxyGate {

  private boolean shut;
  private int held;
  private long delayNanos;

  synchronized void shut() {
    shut = true;
  }

  synchronized void open() {
    shut = false;
    notifyAll();
  }

  synchronized boolean isHolding() {
    return shut && held > 0;
  }

  synchronized void delay(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative, was " + duration);
    }
    delayNanos = duration.toNanos();
  }

  /** Wakes those who wait, so that they see that their connection has ended. */
  synchronized void wake() {
    notifyAll();
  }

  /** Returns when data may pass, or the connection has ended. */
  synchronized void pass(BooleanSupplier ended) throws InterruptedException {
    held++;
    try {
      while (shut && !ended.getAsBoolean()) {
        wait();
      }
    } finally {
      held--;
    }
  }

  /** Returns when a request may pass that starts its delay now, or the connection has ended. */
  synchronized void passRequest(BooleanSupplier ended) throws InterruptedException {
    long due = System.nanoTime() + delayNanos;
    for (long left = delayNanos;
        left > 0 && !ended.getAsBoolean();
        left = due - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    pass(ended);
  }
}
