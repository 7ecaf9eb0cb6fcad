package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Listener.Outage;
import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The lanes of one consumer, each with a subscription of its own, so that its acks stay together.
 */
final class RunningConsumer {

  private final Consumer consumer;
  private final MessageSource source;
  private final LaneContext context;
  private final Outages outages;
  private final int prefetch;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  RunningConsumer(
      MessageSource source, LaneContext context, Outages outages, int lanes, int prefetch) {
    this.consumer = context.consumer();
    this.source = source;
    this.context = context;
    this.outages = outages;
    this.prefetch = prefetch;
    for (int i = 0; i < lanes; i++) {
      this.lanes.add(new Lane(context));
    }
  }

  void start() {
    int n = 1;
    for (Lane lane : lanes) {
      int share = prefetch / lanes.size() + (n <= prefetch % lanes.size() ? 1 : 0);
      lane.subscribed(source.subscribe(new ToLane(lane), Math.max(1, share)));
      Thread thread = new Thread(lane, "semel-" + consumer.name() + "-" + n++);
      threads.add(thread);
      thread.start();
    }
  }

  /** Hands deliveries to a lane, and tells of the consumer's coming and going. */
  private final class ToLane implements Intake {

    private final Lane lane;

    ToLane(Lane lane) {
      this.lane = lane;
    }

    @Override
    public void received(Delivery delivery) {
      lane.received(delivery);
    }

    @Override
    public void subscribed() {
      if (allSubscribed()) {
        outages.ended(Outage.Kind.CONSUMER, consumer.name());
      }
    }

    @Override
    public void lost(String reason) {
      if (!context.stop().draining()) {
        outages.began(Outage.Kind.CONSUMER, consumer.name(), reason);
      }
    }
  }

  boolean holdsSession() {
    return lanes.stream().anyMatch(Lane::holdsSession);
  }

  boolean allSubscribed() {
    return lanes.stream().allMatch(l -> l.subscription() != null && l.subscription().subscribed());
  }

  /** Lanes whose thread has ended though nobody stopped it. */
  long deadLanes() {
    return threads.stream().filter(t -> !t.isAlive()).count();
  }

  String name() {
    return consumer.name();
  }

  void wanted(boolean wanted) {
    if (wanted && context.stop().draining()) {
      return;
    }
    lanes.forEach(l -> l.subscription().wanted(wanted));
  }

  void wake() {
    lanes.forEach(Lane::wake);
  }

  /** Waits for the lanes; true if all have ended in time. */
  boolean awaitEnd(long deadline) throws InterruptedException {
    for (Thread thread : threads) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      thread.join(Math.max(1, left));
    }
    return threads.stream().noneMatch(Thread::isAlive);
  }

  void abort() {
    threads.stream().filter(Thread::isAlive).forEach(Thread::interrupt);
    lanes.forEach(Lane::abort);
  }

  /**
   * What is still held goes back; only the deliveries of a lane that never ended are left to the
   * broker.
   */
  void close() {
    for (int i = 0; i < lanes.size(); i++) {
      if (!threads.get(i).isAlive()) {
        lanes.get(i).giveBackAll();
      }
      lanes.get(i).subscription().close();
    }
  }
}
