package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Listener.Outage;
import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The lanes of one consumer. Without an order to keep, each has a subscription of its own, so that
 * its acknowledgements stay together, and helps the others when it has nothing to do. With an order
 * there is one subscription, and each ordering key has its lane.
 */
final class RunningConsumer {

  /** Why nothing new is wanted from the source. */
  enum Hold {
    DATABASE_AWAY,
    PARKED_LIMIT,
    /** An order went back once, and would only do so again before its messages can run. */
    RETURNED,
    ALONE,
    STOPPING
  }

  private final Consumer consumer;
  private final MessageSource source;
  private final LaneContext context;
  private final Outages outages;
  private final int prefetch;
  private final List<Lane> lanes = new ArrayList<>();
  private final AloneLane alone;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Hold> holds = EnumSet.noneOf(Hold.class);
  private volatile List<Subscription> subscriptions = List.of();

  RunningConsumer(MessageSource source, LaneContext context, Outages outages, int lanes) {
    this.consumer = context.consumer();
    this.source = source;
    this.context = context;
    this.outages = outages;
    this.prefetch = context.prefetch();
    for (int i = 0; i < lanes; i++) {
      this.lanes.add(new Lane(context, i));
    }
    this.alone = new AloneLane(context, lanes);
    if (!ordered()) {
      this.lanes.forEach(l -> l.helps(this.lanes));
    }
  }

  boolean ordered() {
    return consumer.orderingKey() != null;
  }

  /** Subscribes and starts the lanes, once, unless the worker stops already. */
  synchronized void start() {
    if (!threads.isEmpty() || context.stop().draining()) {
      return;
    }
    context.deadline().start();
    List<Subscription> made = new ArrayList<>();
    if (ordered()) {
      made.add(source.subscribe(new ToLanes(), prefetch));
      lanes.forEach(l -> l.subscribed(made.get(0)));
    } else {
      for (int n = 0; n < lanes.size(); n++) {
        Lane lane = lanes.get(n);
        int share = prefetch / lanes.size() + (n < prefetch % lanes.size() ? 1 : 0);
        made.add(source.subscribe(new ToLane(lane), Math.max(1, share)));
        lane.subscribed(made.get(n));
      }
    }
    subscriptions = List.copyOf(made);
    want();
    int n = 1;
    for (Lane lane : lanes) {
      Thread thread = new Thread(lane, "semel-" + consumer.name() + "-" + n++);
      threads.add(thread);
      thread.start();
    }
  }

  /** Tells of the consumer's coming and going. */
  private abstract class Telling implements Intake {

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

  /** Hands deliveries to one lane. */
  private final class ToLane extends Telling {

    private final Lane lane;

    ToLane(Lane lane) {
      this.lane = lane;
    }

    @Override
    public void received(Delivery delivery) {
      lane.received(new Lane.Received(delivery, System.nanoTime(), null));
    }
  }

  /** Hands each delivery to the lane of its ordering key, in the order of the source. */
  private final class ToLanes extends Telling {

    private int next;

    @Override
    public void received(Delivery delivery) {
      long now = System.nanoTime();
      Entry entry = Entry.of(consumer, delivery, now);
      String key = entry.orderingKey;
      int lane = Math.floorMod(key == null ? next++ : spread(key.hashCode()), lanes.size());
      lanes.get(lane).received(new Lane.Received(delivery, now, entry));
    }

    private int spread(int hash) {
      return hash ^ hash >>> 16;
    }
  }

  boolean holdsSession() {
    return lanes.stream().anyMatch(Lane::holdsSession);
  }

  boolean allSubscribed() {
    List<Subscription> all = subscriptions;
    return !all.isEmpty() && all.stream().allMatch(Subscription::subscribed);
  }

  /** Whether no message of this consumer is held by this process, and none is coming. */
  boolean holdsNothing() {
    return subscriptions.stream().allMatch(s -> !s.subscribed() && s.held() == 0)
        && lanes.stream().allMatch(l -> threads.isEmpty() || l.rests());
  }

  /** Whether no handler of this consumer is at work. */
  boolean runsNothing() {
    return lanes.stream().noneMatch(Lane::works);
  }

  /** Lanes whose thread has ended though nobody stopped it. */
  synchronized long deadLanes() {
    return threads.stream().filter(t -> !t.isAlive()).count();
  }

  String name() {
    return consumer.name();
  }

  /** What keeps it from taking messages, in words; null if nothing does. */
  synchronized String heldBy() {
    if (holds.contains(Hold.ALONE)) {
      return "its intake pauses while a message that may have killed a process runs alone";
    }
    return holds.isEmpty() ? null : "its intake pauses";
  }

  synchronized void hold(Hold why, boolean on) {
    boolean changed = on ? holds.add(why) : holds.remove(why);
    if (changed || !subscriptions.isEmpty()) {
      want();
    }
    if (changed && on) {
      lanes.forEach(Lane::wake);
    }
  }

  /**
   * Where an order is to be kept, to pause is to give all back, and another process takes over. So
   * that is done only to be alone; else the prefetch is bound enough, and a stopping worker closes.
   */
  private void want() {
    boolean wanted =
        ordered() ? !holds.contains(Hold.ALONE) : holds.isEmpty() && !context.stop().draining();
    subscriptions.forEach(s -> s.wanted(wanted));
  }

  /** Once a second, by the heart. */
  void upkeep() {
    hold(Hold.PARKED_LIMIT, context.parked().overLimit());
    boolean returned = false;
    for (Lane lane : lanes) {
      returned |= subscriptions.isEmpty() ? false : lane.giveBackOld();
    }
    if (returned) {
      hold(Hold.RETURNED, context.database().away() || context.parked().overLimit());
    } else if (!context.database().away() && !context.parked().overLimit()) {
      hold(Hold.RETURNED, false);
    }
  }

  /** See {@link AloneLane#runOne}. */
  boolean runOneAlone() throws SQLException, InterruptedException {
    return alone.runOne();
  }

  void releaseAlone() {
    alone.release();
  }

  /** Waits for the lanes; true if all have ended in time. */
  boolean awaitEnd(long deadline) throws InterruptedException {
    for (Thread thread : started()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      thread.join(Math.max(1, left));
    }
    return started().stream().noneMatch(Thread::isAlive);
  }

  private synchronized List<Thread> started() {
    return List.copyOf(threads);
  }

  void abort() {
    started().stream().filter(Thread::isAlive).forEach(Thread::interrupt);
    lanes.forEach(Lane::abort);
    alone.abort();
  }

  /**
   * What is still held goes back; only the deliveries of a lane that never ended are left to the
   * broker, and those that have an order, which go back all at once.
   */
  void close() {
    List<Thread> all = started();
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).isAlive() && !ordered()) {
        lanes.get(i).giveBackAll();
      }
    }
    subscriptions.forEach(Subscription::close);
  }
}
