package dev.semel.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** From the first delivery to the last acknowledgement. */
final class Meter {

  private final int messages;
  private final long origin = System.nanoTime();
  private final LongAccumulator first = new LongAccumulator(Math::min, Long.MAX_VALUE);
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final LongAdder redelivered = new LongAdder();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile long last;
  private volatile @Nullable Throwable failure;

  Meter(int messages) {
    this.messages = messages;
  }

  void delivered() {
    deliveredAgo(0);
  }

  void deliveredAgo(long nanos) {
    first.accumulate(System.nanoTime() - origin - nanos);
  }

  /** The broker flagged a delivery; told before it is told to be acknowledged. */
  void redelivered() {
    redelivered.increment();
  }

  void acknowledged(int number) {
    if (acknowledged.addAndGet(number) >= messages) {
      last = System.nanoTime() - origin;
      ended.countDown();
    }
  }

  void failed(Throwable cause) {
    failure = cause;
    ended.countDown();
  }

  void await() throws Exception {
    ended.await();
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("the contender failed", cause);
    }
  }

  Measured measured() {
    return new Measured(last - first.get(), redelivered.sum());
  }
}
