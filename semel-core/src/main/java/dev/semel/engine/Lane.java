package dev.semel.engine;

import dev.semel.Listener;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.spi.Delivery;
import dev.semel.spi.Step;
import dev.semel.spi.Subscription;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lane of a consumer: a thread, a session and a subscription. Takes what is there, applies it
 * in one transaction, settles it, and cuts a batch that failed until every message has its answer.
 */
final class Lane implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  /** An idle lane gives its connection back after this. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int UNCOUNTED_RUNS = 3;
  private static final Duration FIRST_LOOK = Duration.ofMillis(5);
  private static final int MOST_LOOK_DOUBLINGS = 5;
  private static final Duration GATE_PAUSE = Duration.ofMillis(100);
  private static final long LONGEST_ENGINE_PAUSE = 5_000;

  /** Put into the inbox to end the wait of an idle lane; never live, so it is passed over. */
  private static final Delivery NOTHING =
      new Delivery() {
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
      };

  private final LaneContext context;
  private final SessionHolder session;
  private final BlockingQueue<Delivery> inbox = new LinkedBlockingQueue<>();
  private final Pending pending = new Pending();

  /** What is left to do of the batch in hand; only the lane's thread touches it. */
  private final Deque<Part> work = new ArrayDeque<>();

  private Subscription subscription;

  /**
   * A part of a batch.
   *
   * @param entries in the order of their receipt
   * @param failure what the one entry has failed with, if its failure is only to be booked
   * @param parkReason why the one entry is to be parked, if it is
   */
  private record Part(
      List<Entry> entries, @Nullable Throwable failure, @Nullable String parkReason) {

    static Part of(List<Entry> entries) {
      return new Part(entries, null, null);
    }
  }

  Lane(LaneContext context) {
    this.context = context;
    this.session = new SessionHolder(context.database()::open);
  }

  /** The queue between the source's thread and this lane; bounded by the prefetch. */
  void received(Delivery delivery) {
    inbox.add(delivery);
  }

  /** Ends the wait of an idle lane, so that it sees at once that the worker stops. */
  void wake() {
    inbox.add(NOTHING);
  }

  void subscribed(Subscription to) {
    this.subscription = to;
  }

  Subscription subscription() {
    return subscription;
  }

  /** Whether it has a connection: then it finds out by itself whether the database is away. */
  boolean holdsSession() {
    return session.held();
  }

  /** Ends the transaction of a lane that outlasted the grace time; by the thread that stops. */
  void abort() {
    session.discard();
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
    session.release();
  }

  /**
   * Not the handler's failure, not the database's: whether the transaction was committed is not
   * known. The same deliveries go through the claim again, one by one, and that tells.
   */
  private void goOnAfter(Throwable failure, int failuresBefore) {
    try {
      session.discard();
      apart();
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
    if (work.isEmpty()) {
      giveBack(pending.dueToGiveBack());
      List<Entry> batch = take();
      if (batch.isEmpty()) {
        return;
      }
      work.push(Part.of(batch));
      context.probe().reached(Step.RECEIVED);
    }
    while (!work.isEmpty()) {
      if (context.database().away() || context.gate().closed()) {
        // Who waits holds no connection: the pool may have no other to find out that it is back.
        session.release();
      }
      context.database().awaitBack(context.stop()::draining);
      context.gate().pass(this, context.stop()::draining);
      if (context.stop().draining()) {
        return;
      }
      // Peeked, so that the part is still there if the engine itself fails within it.
      Part part = work.peek();
      List<Entry> open = part.entries().stream().filter(e -> !e.settled && e.live()).toList();
      List<Part> next;
      try {
        next = open.isEmpty() ? List.of() : doPart(part, open);
      } finally {
        context.gate().passed(this);
      }
      work.pop();
      next.forEach(work::push);
    }
  }

  private List<Entry> take() throws InterruptedException {
    int most = context.batchSize().now();
    List<Entry> batch = new ArrayList<>();
    if (context.gate().closed()) {
      most = 1;
      // Before those that have failed: it may be the good one that opens the gate.
      Delivery untried = inbox.poll();
      if (untried != null) {
        add(batch, untried);
        return batch;
      }
    }
    batch.addAll(pending.dueToRun(most));
    batch.forEach(e -> e.settled = false);
    if (batch.isEmpty()) {
      Delivery first = inbox.poll(pending.nanosToNext(IDLE_NANOS), TimeUnit.NANOSECONDS);
      if (first == null) {
        if (pending.nanosToNext(IDLE_NANOS) == IDLE_NANOS) {
          session.release();
        }
        return batch;
      }
      add(batch, first);
    }
    Delivery next;
    while (batch.size() < most && (next = inbox.poll()) != null) {
      add(batch, next);
    }
    return batch;
  }

  private void add(List<Entry> batch, Delivery delivery) {
    if (delivery.live()) {
      try {
        batch.add(Entry.of(context.consumer(), delivery.message(), delivery));
      } catch (Throwable t) {
        // Nothing that was taken may be forgotten, whatever happened.
        inbox.add(delivery);
        work.push(Part.of(batch));
        throw t;
      }
    }
  }

  /** Does a part; gives the parts that follow from it, last one first. */
  private List<Part> doPart(Part part, List<Entry> entries) {
    if (part.failure() != null && part.parkReason() == null) {
      failed(entries.get(0), part.failure());
      return List.of();
    }
    BatchRun.Result result;
    try {
      var connection = session.get().connection();
      result =
          part.parkReason() == null
              ? context
                  .batchRun()
                  .apply(
                      connection, entries, context.consumer().handler(), context.stop()::draining)
              : context
                  .batchRun()
                  .park(connection, entries.get(0), part.parkReason(), part.failure());
    } catch (SQLException e) {
      result = new BatchRun.Result.Failed(-1, e, null);
    }
    if (!context.stop().aborted()) {
      // A mark that the handler has left on the thread is not for us.
      Thread.interrupted();
    }
    if (result instanceof BatchRun.Result.Committed committed) {
      settle(entries, committed);
      beat();
      return List.of();
    }
    if (result instanceof BatchRun.Result.Unknown unknown) {
      LOG.debug("the outcome of a commit is not known; asking by the keys", unknown.cause());
      session.discard();
      return part.parkReason() == null
          ? apart(entries)
          : List.of(new Part(entries, part.failure(), part.parkReason()));
    }
    BatchRun.Result.Failed failure = (BatchRun.Result.Failed) result;
    session.rollback(failure.cause());
    return afterFailure(part, entries, failure);
  }

  private void beat() {
    try {
      if (context.beat().due()) {
        context.beat().on(session.get().connection());
      }
    } catch (SQLException e) {
      // What is wrong shows in the next batch, which is asked about it.
      session.rollback(e);
    }
  }

  private List<Part> afterFailure(Part part, List<Entry> entries, BatchRun.Result.Failed failure) {
    SQLException sql = SqlErrors.in(failure.cause());
    if (sql != null
        && failure.ended() == null
        && !context.database().works(session, System.nanoTime())) {
      return List.of(new Part(entries, part.failure(), part.parkReason()));
    }
    boolean again = sql != null && SqlErrors.passing(sql.getSQLState());
    if (entries.size() > 1) {
      context.batchSize().failed();
      return cut(entries, failure, again);
    }
    Entry entry = entries.get(0);
    if (again && entry.uncountedRuns < UNCOUNTED_RUNS) {
      entry.uncountedRuns++;
      return List.of(new Part(entries, part.failure(), part.parkReason()));
    }
    if (failure.ended() != null) {
      return List.of(new Part(entries, failure.cause(), failure.ended()));
    }
    failed(entry, failure.cause());
    return List.of();
  }

  /** Before, failed, after: or one by one, where nobody can say which message failed. */
  private static List<Part> cut(
      List<Entry> entries, BatchRun.Result.Failed failure, boolean again) {
    int at = failure.index();
    if (at < 0 || failure.ended() != null) {
      return apart(entries);
    }
    List<Part> parts = new ArrayList<>(3);
    parts.add(Part.of(entries.subList(at + 1, entries.size())));
    List<Entry> one = entries.subList(at, at + 1);
    parts.add(again ? Part.of(one) : new Part(one, failure.cause(), null));
    parts.add(Part.of(entries.subList(0, at)));
    return parts;
  }

  /** Each alone; last one first. */
  private static List<Part> apart(List<Entry> entries) {
    List<Part> parts = new ArrayList<>(entries.size());
    for (int i = entries.size() - 1; i >= 0; i--) {
      parts.add(Part.of(entries.subList(i, i + 1)));
    }
    return parts;
  }

  private void apart() {
    List<Part> left = new ArrayList<>(work);
    work.clear();
    for (Part part : left) {
      if (part.entries().size() == 1) {
        work.add(part);
      } else {
        part.entries().forEach(e -> work.add(Part.of(List.of(e))));
      }
    }
  }

  /** The message's own failure: held for its pause, then given back. */
  private void failed(Entry entry, Throwable cause) {
    String state = SqlErrors.stateOf(cause);
    var notTheirOwn = context.gate().failed(this, entry.name(), state);
    if (!notTheirOwn.isEmpty()) {
      notTheirOwn.forEach(context.failures()::forget);
      pending.runAfter(GATE_PAUSE, entry);
      return;
    }
    int count = context.failures().count(entry.name());
    Duration pause = context.failures().pause(count);
    LOG.warn(
        "consumer '{}': message {} failed ({}. time in this process), next try in {} ms: {}",
        context.consumer().name(),
        entry.name(),
        count,
        pause.toMillis(),
        String.valueOf(cause));
    LOG.debug("the failure in full", cause);
    context.telling().tell(l -> l.failed(context.consumer().name(), entry.name(), count, cause));
    entry.uncountedRuns = 0;
    pending.giveBackAfter(pause, entry);
    // The failure may have been the want of a connection: then this one ends the want of another
    // lane.
    session.release();
  }

  private void settle(List<Entry> entries, BatchRun.Result.Committed committed) {
    List<Delivery> done = new ArrayList<>(entries.size());
    List<Entry> unrun = new ArrayList<>();
    boolean applied = false;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      Outcome outcome = committed.outcomes().get(i);
      if (outcome == null) {
        unrun.add(entry);
      } else if (outcome instanceof Outcome.InFlight) {
        entry.settled = true;
        lookLater(entry);
      } else {
        applied |= outcome instanceof Outcome.Applied;
        done.add(entry.delivery);
      }
    }
    subscription.acknowledge(done);
    for (int i = 0; i < entries.size(); i++) {
      Outcome outcome = committed.outcomes().get(i);
      if (outcome != null && outcome.settled()) {
        entries.get(i).settled = true;
      }
    }
    giveBack(unrun);
    context.probe().reached(Step.SETTLED);
    context.batchSize().succeeded(entries.size());
    if (applied) {
      context.gate().applied();
    }
    tell(entries, committed);
  }

  /** A settled mark keeps it out of the parts of this batch; it comes back as a new one. */
  private void lookLater(Entry entry) {
    int doublings = Math.min(entry.looks++, MOST_LOOK_DOUBLINGS);
    pending.runAfter(FIRST_LOOK.multipliedBy(1L << doublings), entry);
    context.telling().tell(l -> l.inFlight(context.consumer().name(), entry.name()));
  }

  private void tell(List<Entry> entries, BatchRun.Result.Committed committed) {
    long now = System.nanoTime();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      Outcome outcome = committed.outcomes().get(i);
      if (outcome == null || !outcome.settled()) {
        continue;
      }
      int failures = context.failures().of(entry.name());
      if (failures > 0) {
        context.failures().forget(entry.name());
      }
      Listener.Settled settled =
          new Listener.Settled(
              context.consumer().name(),
              entry.key,
              outcome,
              entry.redelivered(),
              failures + Math.max(1, entry.runs),
              Duration.ofNanos(committed.handlerNanos()[i]),
              entries.size(),
              Duration.ofNanos(now - entry.receivedNanos));
      context.telling().tell(l -> l.settled(settled));
    }
  }

  private void giveBack(List<Entry> entries) {
    if (!entries.isEmpty()) {
      entries.forEach(e -> e.settled = true);
      subscription.giveBack(entries.stream().map(e -> e.delivery).toList());
    }
  }

  /** After the thread has ended: whatever is still held goes back to the broker. */
  void giveBackAll() {
    List<Delivery> left = new ArrayList<>();
    inbox.drainTo(left);
    left.remove(NOTHING);
    work.forEach(
        part -> part.entries().stream().filter(e -> !e.settled).forEach(e -> left.add(e.delivery)));
    pending.takeAll().forEach(e -> left.add(e.delivery));
    subscription.giveBack(left);
  }
}
