package dev.semel.engine;

import dev.semel.Message;
import dev.semel.spi.Delivery;
import dev.semel.spi.Subscription;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lane of a consumer: a thread and a session. Takes what is there, deliveries and due parked
 * rows in turn, and sees to it that each delivery is settled, or held, or given back.
 */
final class Lane implements Runnable, Parts.Owner {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  /** An idle lane gives its connection back after this. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A copy of a key in flight is looked at again for so long; then it is parked. */
  private static final long IN_FLIGHT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration FIRST_LOOK = Duration.ofMillis(5);
  private static final int MOST_LOOK_DOUBLINGS = 5;
  private static final Duration OPEN_FAILURE = Duration.ofSeconds(1);
  private static final long LONGEST_OPEN_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long LONGEST_OPEN_LEASE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long LONGEST_ENGINE_PAUSE = 5_000;

  /** Put into the inbox to end the wait of an idle lane; never live, so it is passed over. */
  private static final Received NOTHING = new Received(new Nothing(), 0, null);

  private final LaneContext context;
  private final BlockingQueue<Received> inbox = new LinkedBlockingQueue<>();
  private final Pending pending = new Pending();
  private final Parts parts;

  /** Whose inboxes it may help with when its own is empty; none if there is an order to keep. */
  private List<Lane> siblings = List.of();

  private volatile @Nullable Subscription subscription;

  /** Holds nothing and waits; written by its own thread. */
  private volatile boolean resting;

  /** Has a batch in hand; written by its own thread. */
  private volatile boolean working;

  private long lastWork = System.nanoTime();
  private boolean parkedNext = true;

  /** Whose fate is being decided in the parts in hand; those behind them wait for it. */
  private final List<Entry> deciding = new ArrayList<>();

  /** Whose inbox the batch in the making is filled from. */
  private Lane filling = this;

  /**
   * A delivery in the inbox.
   *
   * @param entry what was made of it already, to find the lane of its ordering key
   */
  record Received(Delivery delivery, long nanos, @Nullable Entry entry) {}

  private static final class Nothing implements Delivery {
    @Override
    public Message message() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean redelivered() {
      return false;
    }

    @Override
    public boolean live() {
      return false;
    }
  }

  Lane(LaneContext context, int number) {
    this.context = context;
    this.parts = new Parts(context, number, this);
  }

  void helps(List<Lane> others) {
    this.siblings = others.stream().filter(l -> l != this).toList();
  }

  /** The queue between the source's thread and this lane; bounded by the prefetch. */
  void received(Received delivery) {
    inbox.add(delivery);
    if (!resting) {
      siblings.stream().filter(l -> l.resting).findFirst().ifPresent(Lane::wake);
    }
  }

  /** Ends the wait of an idle lane, so that it sees at once that something has changed. */
  void wake() {
    inbox.add(NOTHING);
  }

  void subscribed(Subscription to) {
    this.subscription = to;
  }

  @Nullable Subscription subscription() {
    return subscription;
  }

  /** Whether it has a connection: then it finds out by itself whether the database is away. */
  boolean holdsSession() {
    return parts.holdsSession();
  }

  /** Whether it holds no message at all and begins none, as long as none comes. */
  boolean rests() {
    return resting && inbox.isEmpty() && pending.isEmpty();
  }

  boolean works() {
    return working;
  }

  /** Ends the transaction of a lane that outlasted the grace time; by the thread that stops. */
  void abort() {
    parts.abort();
  }

  @Override
  public void run() {
    int engineFailures = 0;
    while (!context.stop().draining()) {
      try {
        turn();
        engineFailures = 0;
      } catch (InterruptedException e) {
        // By the stop, which the loop sees; or a mark that a handler has left, which is now gone.
        LOG.debug("lane of consumer '{}' was interrupted", context.consumer().name());
      } catch (Throwable t) {
        goOnAfter(t, engineFailures++);
      }
    }
    // The mark of the stop has done its work, and would break the next wait for a connection.
    Thread.interrupted();
    if (!ordered()) {
      parkOftenReturned();
    }
    parts.giveBackLeases(pending.rows());
    parts.release();
  }

  /** What is left of the inbox and of what is held; the rest goes back when the worker closes. */
  private void parkOftenReturned() {
    List<Entry> left = new ArrayList<>(pending.takeAllDeliveries());
    left.addAll(takeInbox());
    parts.parkOftenReturned(left);
    giveBack(left.stream().filter(e -> !e.settled).toList());
  }

  private List<Entry> takeInbox() {
    List<Entry> taken = new ArrayList<>();
    for (Received each = inbox.poll(); each != null; each = inbox.poll()) {
      if (each.delivery().live()) {
        taken.add(
            each.entry() != null
                ? each.entry()
                : Entry.of(context.consumer(), each.delivery(), each.nanos()));
      }
    }
    return taken;
  }

  /**
   * Not the handler's failure, not the database's: whether the transaction was committed is not
   * known. The same deliveries go through the claim again, one by one, and that tells.
   */
  private void goOnAfter(Throwable failure, int failuresBefore) {
    try {
      parts.discard();
      parts.apart();
      LOG.error("lane of consumer '{}' failed; going on", context.consumer().name(), failure);
      pause(Math.min(LONGEST_ENGINE_PAUSE, 50L << Math.min(failuresBefore, 10)));
    } catch (Throwable again) {
      // Memory may be short here too; a lane that ends would leave its deliveries to nobody.
      pause(LONGEST_ENGINE_PAUSE);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void turn() throws InterruptedException {
    if (parts.isEmpty()) {
      seeToPending();
    }
    if (parts.isEmpty() && !takeParked()) {
      takeDeliveries();
    }
    working = !parts.isEmpty();
    try {
      while (!parts.isEmpty()) {
        waitForDatabase();
        if (context.stop().draining() || !parts.isEmpty() && !parts.doNext(this)) {
          return;
        }
      }
    } finally {
      lastWork = working ? System.nanoTime() : lastWork;
      working = false;
    }
  }

  private void seeToPending() {
    giveBack(pending.dueToGiveBack().stream().map(Pending.Held::entry).toList());
    deciding.forEach(pending::carriedOut);
    deciding.clear();
    for (Pending.Held decided : pending.dueToDecide(this::undecided, OPEN_FAILURE)) {
      deciding.add(decided.entry());
      decided.entry().settled = false;
      parts.decide(decided.entry(), decided.cause());
    }
    if (context.parked().aloneRequested() && ordered()) {
      // All goes back at once, with its channel; until then nothing of it is dropped.
      pending.dropDead();
      inbox.removeIf(r -> !r.delivery().live());
    } else if (context.parked().aloneRequested()) {
      giveBack(pending.takeAllDeliveries());
      if (context.parked().overLimit()) {
        // It would not be taken, and the process is to hold nothing.
        giveBack(takeInbox());
      }
    }
  }

  /**
   * Whether nobody can say yet whose fault a failure was, and others are there whose fate will
   * tell: each may take as long as a time-out before it fails too.
   */
  private boolean undecided(Entry entry) {
    // A row is decided about within its lease.
    long longest = entry.lease == null ? LONGEST_OPEN_NANOS : LONGEST_OPEN_LEASE_NANOS;
    return System.nanoTime() - entry.failedAt < longest
        && !context.gate().appliedSince(entry.failedAt)
        && !context.gate().closedSince(entry.failedAt)
        && (!inbox.isEmpty() || siblings.stream().anyMatch(l -> l.working));
  }

  /** While the database is away all is held, until the broker's patience nears its end. */
  private void waitForDatabase() throws InterruptedException {
    while (context.database().away() && !context.stop().draining()) {
      parts.release();
      context
          .database()
          .awaitBack(() -> context.stop().draining() || parts.hasOlderThan(oldBefore()));
      if (parts.hasOlderThan(oldBefore())) {
        giveBackOld(parts.takeOlderThan(oldBefore()));
        return;
      }
    }
  }

  /** Takes due parked rows, if it is their turn. */
  private boolean takeParked() throws InterruptedException {
    boolean turn = parkedNext;
    parkedNext = true;
    boolean single = context.gate().closed();
    if (!turn || single && hasWork() || !context.parked().due() || context.database().away()) {
      return false;
    }
    try {
      List<Entry> leased = context.parked().look(parts.connection(), single);
      if (leased.isEmpty()) {
        if (System.nanoTime() - lastWork >= IDLE_NANOS) {
          parts.release();
        }
        return false;
      }
      parts.addLeased(leased);
      // The backlog of a hot key goes first, or it would be added to as fast as it is worked off.
      parkedNext = leased.size() > 1 && leased.get(0).orderingKey != null;
      return true;
    } catch (SQLException e) {
      parts.rollback(e);
      if (!parts.holdsSession()) {
        // There was none to be had, perhaps since handlers have them all; whoever has one finds
        // out.
        return false;
      }
      if (parts.databaseWorks()) {
        LOG.warn("consumer '{}': parked messages could not be looked at", name(), e);
      }
      return false;
    }
  }

  private boolean hasWork() {
    return !inbox.isEmpty() || pending.nanosToNext(IDLE_NANOS) == 0;
  }

  private void takeDeliveries() throws InterruptedException {
    List<Entry> batch = new ArrayList<>();
    int most = context.batchSize().now();
    filling = this;
    if (context.gate().closed()) {
      most = 1;
      // Before those that have failed: it may be the good one that opens the gate.
      poll(batch, inbox.poll());
    }
    if (batch.isEmpty()) {
      batch.addAll(pending.dueToRun(most));
      batch.forEach(e -> e.settled = false);
    }
    if (batch.isEmpty()) {
      poll(batch, awaited());
    }
    Received next;
    while (batch.size() < most && (next = nextOf(filling)) != null) {
      poll(batch, next);
    }
    if (!batch.isEmpty()) {
      parts.add(batch);
      context.probe().reached(dev.semel.spi.Step.RECEIVED);
    }
  }

  private @Nullable Received awaited() throws InterruptedException {
    Received first = next();
    if (first != null) {
      return first;
    }
    if (takesNothing()) {
      resting = pending.isEmpty() && parts.isEmpty();
      try {
        Thread.sleep(Math.min(50, TimeUnit.NANOSECONDS.toMillis(waitForParked()) + 1));
      } finally {
        resting = false;
      }
      return null;
    }
    long wait = Math.min(pending.nanosToNext(IDLE_NANOS), waitForParked());
    resting = pending.isEmpty() && parts.isEmpty();
    try {
      first = inbox.poll(wait, TimeUnit.NANOSECONDS);
    } finally {
      resting = false;
    }
    if (first == null && System.nanoTime() - lastWork >= IDLE_NANOS) {
      parts.release();
    }
    return first == null ? next() : first;
  }

  private long waitForParked() {
    boolean looks = !context.parked().aloneRequested() && !context.database().away();
    return looks ? Math.min(IDLE_NANOS, context.parked().nanosToLook()) : IDLE_NANOS;
  }

  /**
   * One of its own or, when there is none, one that a busy lane has not begun; a batch is filled
   * from one inbox, since an idle lane will see to its own.
   */
  private @Nullable Received next() {
    Received found = nextOf(this);
    for (int i = 0; found == null && i < siblings.size(); i++) {
      Lane other = siblings.get(i);
      found = other.working ? nextOf(other) : null;
      filling = found == null ? this : other;
    }
    return found;
  }

  private @Nullable Received nextOf(Lane lane) {
    return takesNothing() ? null : lane.inbox.poll();
  }

  /**
   * Above the limit what it has waits, whether its consumer is cancelled or not; and an order
   * finishes what runs before all the rest goes back for a message that runs alone.
   */
  private boolean takesNothing() {
    return context.parked().overLimit() || ordered() && context.parked().aloneRequested();
  }

  private void poll(List<Entry> batch, @Nullable Received received) {
    if (received == null || !received.delivery().live()) {
      return;
    }
    Entry entry;
    try {
      entry =
          received.entry() != null
              ? received.entry()
              : Entry.of(context.consumer(), received.delivery(), received.nanos());
    } catch (Throwable t) {
      // Nothing that was taken may be forgotten, whatever happened.
      inbox.add(received);
      if (!batch.isEmpty()) {
        parts.add(batch);
      }
      throw t;
    }
    if (!pending.heldBehind(entry)) {
      batch.add(entry);
    }
  }

  private boolean ordered() {
    return context.consumer().orderingKey() != null;
  }

  private String name() {
    return context.consumer().name();
  }

  // Parts.Owner

  @Override
  public void acknowledge(List<Delivery> done) {
    subscription.acknowledge(done);
  }

  /** Those that have an order are left to the end of their channel: none may come back alone. */
  @Override
  public void giveBack(List<Entry> entries) {
    entries.forEach(e -> e.settled = true);
    if (!entries.isEmpty() && !ordered()) {
      subscription.giveBack(entries.stream().map(e -> e.delivery).toList());
    }
  }

  @Override
  public void inFlight(Entry entry) {
    long now = System.nanoTime();
    if (entry.inFlightSince == 0) {
      entry.inFlightSince = now;
    }
    context.telling().tell(l -> l.inFlight(name(), entry.name()));
    boolean tooLong = now - entry.inFlightSince > IN_FLIGHT_NANOS;
    boolean tooMany = 4 * (pending.inFlight() + 1) > context.prefetch();
    if (entry.orderingKey == null && (tooLong || tooMany)) {
      entry.settled = false;
      parts.parkInFlight(entry);
      return;
    }
    int doublings = Math.min(entry.looks++, MOST_LOOK_DOUBLINGS);
    pending.hold(FIRST_LOOK.multipliedBy(1L << doublings), entry, Pending.Then.RUN, null);
  }

  @Override
  public void runAfter(Duration pause, Entry entry) {
    entry.settled = true;
    pending.hold(pause, entry, Pending.Then.RUN, null);
  }

  @Override
  public void decideLater(Entry entry, Throwable cause) {
    entry.settled = entry.lease == null;
    pending.hold(OPEN_FAILURE, entry, Pending.Then.DECIDE, cause);
  }

  @Override
  public void holdFor(Duration pause, Entry entry) {
    entry.settled = true;
    pending.hold(pause, entry, Pending.Then.GIVE_BACK, null);
  }

  @Override
  public boolean heldBehind(Entry entry) {
    return pending.heldBehind(entry);
  }

  // The broker's patience.

  private long oldBefore() {
    return System.nanoTime() - context.consumer().acknowledgementTimeout().toNanos() / 2;
  }

  /**
   * Gives back what waits here for too long; by the heart.
   *
   * @return whether all of an order went back, of which none may go alone
   */
  boolean giveBackOld() {
    long before = oldBefore();
    if (ordered()) {
      boolean old =
          pending.hasOlderThan(before)
              || inbox.stream().anyMatch(r -> r != NOTHING && r.nanos() - before < 0);
      if (old) {
        subscription.renew("acknowledgement timeout nears");
      }
      return old;
    }
    List<Entry> old = new ArrayList<>(pending.takeOlderThan(before));
    for (Received each : inbox) {
      if (each != NOTHING && each.nanos() - before < 0 && inbox.remove(each)) {
        old.add(Entry.of(context.consumer(), each.delivery(), each.nanos()));
      }
    }
    giveBackOld(old);
    return false;
  }

  private void giveBackOld(List<Entry> old) {
    List<Entry> live = old.stream().filter(Entry::live).toList();
    if (live.isEmpty()) {
      return;
    }
    LOG.info(
        "consumer '{}': {} messages waited for half of the acknowledgement timeout and go back",
        name(),
        live.size());
    giveBack(live);
    if (ordered()) {
      subscription.renew("acknowledgement timeout nears");
    }
  }

  /** After the thread has ended: whatever is still held goes back to the broker. */
  void giveBackAll() {
    List<Delivery> left = new ArrayList<>();
    for (Received each = inbox.poll(); each != null; each = inbox.poll()) {
      if (each != NOTHING) {
        left.add(each.delivery());
      }
    }
    parts.unsettled().forEach(e -> left.add(e.delivery));
    pending.takeAllDeliveries().forEach(e -> left.add(e.delivery));
    if (subscription != null) {
      subscription.giveBack(left);
    }
  }
}
