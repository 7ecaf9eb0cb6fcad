package dev.semel.engine;

import dev.semel.Health;
import dev.semel.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A started worker, and its orderly end. */
final class RunningWorker implements Worker {

  /** What an aborted handler gets to come to its senses. */
  private static final long AFTER_ABORT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final List<RunningConsumer> consumers;
  private final Outages outages;
  private final Heart heart;
  private final StopState stop;
  private final Duration grace;
  private boolean closed;

  RunningWorker(
      List<RunningConsumer> consumers,
      Outages outages,
      Heart heart,
      StopState stop,
      Duration grace) {
    this.consumers = consumers;
    this.outages = outages;
    this.heart = heart;
    this.stop = stop;
    this.grace = grace;
  }

  void start() {
    heart.start();
    consumers.forEach(RunningConsumer::start);
  }

  @Override
  public Health health() {
    List<String> reasons = new ArrayList<>(outages.reasons());
    if (stop.draining()) {
      reasons.add("the worker is stopping");
    }
    for (RunningConsumer consumer : consumers) {
      if (!stop.draining() && consumer.deadLanes() > 0) {
        reasons.add("consumer '" + consumer.name() + "': a lane has ended; restart the worker");
      }
      if (!consumer.allSubscribed()
          && reasons.stream().noneMatch(r -> r.startsWith("consumer '" + consumer.name()))) {
        reasons.add("consumer '" + consumer.name() + "': not subscribed yet");
      }
    }
    return new Health(reasons.isEmpty(), reasons);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    stop.drain();
    consumers.forEach(c -> c.wanted(false));
    consumers.forEach(RunningConsumer::wake);
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      if (!ended(deadline)) {
        stop.abort();
        consumers.forEach(RunningConsumer::abort);
        ended(System.nanoTime() + AFTER_ABORT_NANOS);
      }
    } catch (InterruptedException e) {
      stop.abort();
      consumers.forEach(RunningConsumer::abort);
      Thread.currentThread().interrupt();
    }
    consumers.forEach(RunningConsumer::close);
    heart.stop();
  }

  private boolean ended(long deadline) throws InterruptedException {
    boolean all = true;
    for (RunningConsumer consumer : consumers) {
      all &= consumer.awaitEnd(deadline);
    }
    return all;
  }
}
