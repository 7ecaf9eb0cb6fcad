package dev.semel.engine;

import dev.semel.Health;
import dev.semel.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A started worker, and its orderly end. */
final class RunningWorker implements Worker {

  /** What an aborted handler gets to come to its senses. */
  private static final long AFTER_ABORT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final List<RunningConsumer> consumers;
  private final Outages outages;
  private final Heart heart;
  private final @Nullable Relay relay;
  private final Notifier notifier;
  private final Thread notifying;
  private final Runnable ending;
  private final Solitude solitude;
  private final Thread alone;
  private final StopState stop;
  private final Duration grace;
  private boolean closed;

  RunningWorker(
      List<RunningConsumer> consumers,
      Outages outages,
      Heart heart,
      @Nullable Relay relay,
      Notifier notifier,
      Runnable ending,
      Solitude solitude,
      StopState stop,
      Duration grace) {
    this.consumers = consumers;
    this.outages = outages;
    this.heart = heart;
    this.relay = relay;
    this.notifier = notifier;
    this.notifying = new Thread(notifier, "semel-notify");
    this.notifying.setDaemon(true);
    this.ending = ending;
    this.solitude = solitude;
    this.alone = new Thread(solitude, "semel-alone");
    this.stop = stop;
    this.grace = grace;
  }

  void start() {
    heart.start();
    notifying.start();
    if (relay != null) {
      relay.start();
    }
    solitude.of(consumers);
    alone.start();
  }

  @Override
  public Health health() {
    List<String> reasons = new ArrayList<>(outages.reasons());
    if (stop.draining()) {
      reasons.add("the worker is stopping");
    }
    if (relay != null && !stop.draining()) {
      reasons.addAll(relay.troubles());
    }
    for (RunningConsumer consumer : consumers) {
      if (!stop.draining() && consumer.deadLanes() > 0) {
        reasons.add("consumer '" + consumer.name() + "': a lane has ended; restart the worker");
      }
      String held = consumer.heldBy();
      if (!consumer.allSubscribed()
          && reasons.stream().noneMatch(r -> r.startsWith("consumer '" + consumer.name()))) {
        reasons.add(
            "consumer '" + consumer.name() + "': " + (held == null ? "not subscribed yet" : held));
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
    consumers.forEach(c -> c.hold(RunningConsumer.Hold.STOPPING, true));
    if (relay != null) {
      relay.stop();
    }
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      if (!ended(deadline)) {
        abort();
        ended(System.nanoTime() + AFTER_ABORT_NANOS);
      }
    } catch (InterruptedException e) {
      abort();
      Thread.currentThread().interrupt();
    }
    consumers.forEach(RunningConsumer::close);
    ending.run();
    notifier.stop();
    if (relay != null) {
      relay.close();
    }
    heart.stop();
  }

  private void abort() {
    stop.abort();
    alone.interrupt();
    consumers.forEach(RunningConsumer::abort);
    if (relay != null) {
      relay.abort();
    }
  }

  private boolean ended(long deadline) throws InterruptedException {
    alone.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
    boolean all = !alone.isAlive();
    for (RunningConsumer consumer : consumers) {
      all &= consumer.awaitEnd(deadline);
    }
    return all & (relay == null || relay.awaitEnd(deadline));
  }
}
