package dev.semel.engine;

import java.util.concurrent.TimeUnit;

/**
 * How many messages a transaction of one consumer takes: begins with one and is doubled by success,
 * so that the first slow message holds nobody up; halved by a failure, and then grown slowly; and
 * halved by slow handlers, since a commit for each costs nothing beside them and their neighbours
 * need not wait.
 */
final class BatchSize {

  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int most;
  private int now = 1;
  private boolean failedOnce;

  BatchSize(int most) {
    this.most = most;
  }

  synchronized int now() {
    return now;
  }

  synchronized void failed() {
    failedOnce = true;
    now = Math.max(1, now / 2);
  }

  synchronized void succeeded(long handlerNanos) {
    if (handlerNanos > SLOW_NANOS) {
      now = Math.max(1, now / 2);
    } else {
      now = Math.min(most, now + (failedOnce ? Math.max(1, now / 8) : now));
    }
  }
}
