package dev.semel.engine;

/** How many messages a transaction of one consumer takes: halved by a failure, grown by success. */
final class BatchSize {

  private final int most;
  private int now;

  BatchSize(int most) {
    this.most = most;
    this.now = most;
  }

  synchronized int now() {
    return now;
  }

  synchronized void failed() {
    now = Math.max(1, now / 2);
  }

  synchronized void succeeded(int size) {
    if (size >= now && now < most) {
      now = Math.min(most, now + Math.max(1, now / 8));
    }
  }
}
