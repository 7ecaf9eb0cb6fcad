package dev.semel.worker.demo;

import java.time.Duration;

/** Ends with the reason when a worker has died by itself, or makes no headway for a long time. */
final class Patience {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private int lastDepth = -1;
  private long since = System.nanoTime();

  void check(Child child, int depth) {
    if (!child.isAlive()) {
      throw new DemoException("a worker ended by itself\n" + child.logTail());
    }
    if (depth != lastDepth) {
      lastDepth = depth;
      since = System.nanoTime();
    } else if (System.nanoTime() - since > LIMIT.toNanos()) {
      throw new DemoException("a worker makes no headway\n" + child.logTail());
    }
  }
}
