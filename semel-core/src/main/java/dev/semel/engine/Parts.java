package dev.semel.engine;

import dev.semel.FailurePolicy;
import dev.semel.Listener;
import dev.semel.Outcome;
import dev.semel.engine.ParkedMessages.Parking;
import dev.semel.engine.ParkedMessages.Released;
import dev.semel.spi.Delivery;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batch in hand of one thread: applies it, cuts it where it failed, and goes on until each
 * message has its answer. Used by that thread only, except for {@link #abort} and {@link
 * #holdsSession}.
 */
final class Parts {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private static final int UNCOUNTED_RUNS = 3;
  private static final int MOST_RETURNS = 2;
  private static final Duration GATE_PAUSE = Duration.ofMillis(100);
  private static final Duration GATE_PAUSE_OF_LEASED = Duration.ofSeconds(1);

  /** Who takes what leaves the batch without having been settled. */
  interface Owner {

    /** The effect (or the bytes) of these deliveries is committed. */
    void acknowledge(List<Delivery> done);

    /** Deliveries that were not run: back to the broker. */
    void giveBack(List<Entry> unrun);

    /** A delivery whose key somebody else is at work on. */
    void inFlight(Entry entry);

    /** A delivery that is to run again. */
    void runAfter(Duration pause, Entry entry);

    /** A delivery or a row whose failure may yet turn out not to be its own. */
    void decideLater(Entry entry, Throwable cause);

    /** A delivery that is held for a pause, then given back. */
    void holdFor(Duration pause, Entry entry);

    /** Takes a delivery if one of its ordering key, from before it, is held. */
    boolean heldBehind(Entry entry);
  }

  /** What is to be done with the entries of a part. */
  private sealed interface Action {
    record Run() implements Action {}

    /** A failure is to be booked, after what was before it. */
    record Failed(Throwable cause) implements Action {}

    record Park(Parking parking, @Nullable Throwable cause) implements Action {}

    record ParkInFlight() implements Action {}

    record Release(Released to, @Nullable Throwable cause) implements Action {}

    record GiveBack(Duration pause) implements Action {}
  }

  /**
   * A part of a batch.
   *
   * @param entries in the order of their receipt
   */
  private record Part(List<Entry> entries, Action action) {

    static Part run(List<Entry> entries) {
      return new Part(entries, new Action.Run());
    }

    static Part of(Entry entry, Action action) {
      return new Part(List.of(entry), action);
    }

    Part with(List<Entry> others) {
      return new Part(others, action);
    }
  }

  private final LaneContext context;
  private final Started.Runner runner;
  private final Owner owner;
  private final SessionHolder session;
  private final Deque<Part> work = new ArrayDeque<>();

  /** Whether this thread's row in {@code started} names keys. */
  private boolean started;

  Parts(LaneContext context, int lane, Owner owner) {
    this.context = context;
    this.runner = new Started.Runner(context.consumer().name(), context.worker(), lane);
    this.owner = owner;
    this.session = new SessionHolder(context.database()::open);
  }

  Connection connection() throws SQLException {
    return session.get().connection();
  }

  boolean holdsSession() {
    return session.held();
  }

  void release() {
    session.release();
  }

  /** Ends the transaction of a thread that outlasted the grace time; by the thread that stops. */
  void abort() {
    session.discard();
  }

  /** After a failure outside a batch. */
  void rollback(Throwable cause) {
    session.rollback(cause);
  }

  boolean databaseWorks() {
    return context.database().works(session, System.nanoTime());
  }

  boolean isEmpty() {
    return work.isEmpty();
  }

  /** Deliveries of one batch, or rows of one lease. */
  void add(List<Entry> entries) {
    work.push(Part.run(entries));
  }

  void parkInFlight(Entry entry) {
    work.push(Part.of(entry, new Action.ParkInFlight()));
  }

  void giveBackLease(Entry entry, Duration pause) {
    work.push(Part.of(entry, new Action.GiveBack(pause)));
  }

  /** Each alone; which of them was committed is not known. */
  void apart() {
    List<Part> left = new ArrayList<>(work);
    work.clear();
    for (Part part : left) {
      part.entries().forEach(e -> work.add(part.with(List.of(e))));
    }
  }

  /** What is left, for those who give it back. */
  List<Entry> unsettled() {
    return work.stream()
        .flatMap(p -> p.entries().stream())
        .filter(e -> !e.settled && e.lease == null)
        .toList();
  }

  /** Takes out deliveries that have waited too long to be begun. */
  List<Entry> takeOlderThan(long receivedBefore) {
    List<Entry> old = new ArrayList<>();
    for (Entry e : unsettled()) {
      if (e.receivedNanos - receivedBefore < 0) {
        e.settled = true;
        old.add(e);
      }
    }
    return old;
  }

  boolean hasOlderThan(long receivedBefore) {
    return unsettled().stream().anyMatch(e -> e.receivedNanos - receivedBefore < 0);
  }

  /** At the end of the thread: leases that were not used go back, and no attempt is counted. */
  void giveBackLeases(List<Entry> others) {
    List<Entry> leased = new ArrayList<>(others);
    work.stream().flatMap(p -> p.entries().stream()).forEach(leased::add);
    leased.removeIf(e -> e.lease == null || e.settled);
    if (leased.isEmpty() || context.database().away()) {
      return;
    }
    try {
      for (Entry each : leased) {
        context.batchRun().giveBack(session.get().connection(), List.of(each), Duration.ZERO);
      }
    } catch (SQLException e) {
      LOG.debug("leases were not given back; they run out", e);
      session.discard();
    }
  }

  /**
   * At the end of the thread: deliveries that the broker has taken back before are parked instead
   * of given back once more, since it may drop a message after a few returns.
   */
  void parkOftenReturned(List<Entry> others) {
    List<Entry> left = new ArrayList<>(others);
    left.addAll(unsettled());
    for (Entry each : left) {
      if (each.returns() < MOST_RETURNS || !each.live() || context.database().away()) {
        continue;
      }
      try {
        Connection connection = session.get().connection();
        var result = context.batchRun().park(connection, each, Parking.returned(), null);
        if (result instanceof BatchRun.Result.Committed committed
            && committed.outcomes().get(0).settled()) {
          each.settled = true;
          owner.acknowledge(List.of(each.delivery));
        } else {
          session.discard();
        }
      } catch (SQLException | RuntimeException e) {
        LOG.debug("message {} was not parked and goes back", each.name(), e);
        session.discard();
      }
    }
  }

  /** Forgets what is left: rows whose leases run out. */
  void clear() {
    work.clear();
  }

  /** Ends the session, of which nobody knows in what state it is. */
  void discard() {
    session.discard();
  }

  /**
   * Does the next part.
   *
   * @param lane who asks, for the gate
   * @return false if the worker stops; then the part is still there
   */
  boolean doNext(Object lane) throws InterruptedException {
    if (context.database().away() || context.gate().closed()) {
      // Who waits holds no connection: the pool may have no other to find out that it is back.
      session.release();
    }
    context.gate().pass(lane, context.stop()::draining);
    if (context.stop().draining()) {
      return false;
    }
    // Peeked, so that the part is still there if the engine itself fails within it.
    Part part = work.peek();
    List<Entry> open =
        part.entries().stream()
            .filter(e -> !e.settled && e.live() && !(e.lease == null && owner.heldBehind(e)))
            .toList();
    List<Part> next;
    try {
      next = open.isEmpty() ? List.of() : doPart(part.with(open));
    } finally {
      context.gate().passed(lane);
    }
    work.remove(part);
    next.forEach(work::push);
    return true;
  }

  /** Does a part; gives the parts that follow from it, last one first. */
  private List<Part> doPart(Part part) {
    List<Entry> entries = part.entries();
    if (part.action() instanceof Action.Failed failed) {
      return failed(entries.get(0), failed.cause());
    }
    BatchRun.Result result;
    try {
      result = transaction(part);
      if (result == null) {
        return List.of();
      }
    } catch (SQLException e) {
      result = new BatchRun.Result.Failed(-1, e, null);
    }
    if (!context.stop().aborted()) {
      // A mark that the handler has left on the thread is not for us.
      Thread.interrupted();
    }
    if (result instanceof BatchRun.Result.Committed committed) {
      // In start() some may have been settled, which leaves the rest of the part.
      settle(entries.stream().filter(e -> !e.settled).toList(), committed, part.action());
      beat();
      return List.of();
    }
    entries = entries.stream().filter(e -> !e.settled).toList();
    if (result instanceof BatchRun.Result.Unknown unknown) {
      LOG.debug("the outcome of a commit is not known; asking by the keys", unknown.cause());
      session.discard();
      return apart(part.with(entries));
    }
    BatchRun.Result.Failed failure = (BatchRun.Result.Failed) result;
    session.rollback(failure.cause());
    return afterFailure(part.with(entries), failure);
  }

  /** Null if nothing was left to be run. */
  private BatchRun.@Nullable Result transaction(Part part) throws SQLException {
    Connection connection = session.get().connection();
    BatchRun run = context.batchRun();
    List<Entry> entries = part.entries();
    Action action = part.action();
    if (action instanceof Action.Park park) {
      return run.park(connection, entries.get(0), park.parking(), park.cause());
    } else if (action instanceof Action.ParkInFlight) {
      return run.parkInFlight(connection, entries.get(0));
    } else if (action instanceof Action.Release release) {
      return run.release(connection, entries.get(0), release.to(), release.cause());
    } else if (action instanceof Action.GiveBack giveBack) {
      return run.giveBack(connection, entries, giveBack.pause());
    }
    boolean suspects = entries.stream().anyMatch(Entry::suspect);
    if (started && !suspects) {
      emptyStarted(connection);
    }
    if (suspects) {
      BatchRun.Result begun = run.start(connection, runner, entries);
      if (!(begun instanceof BatchRun.Result.Committed committed)) {
        return begun;
      }
      started = true;
      settleMoved(entries, committed.outcomes());
      entries = entries.stream().filter(e -> !e.settled).toList();
      if (entries.isEmpty()) {
        return null;
      }
    }
    BatchRun.Result result =
        run.apply(
            connection,
            suspects ? runner : null,
            entries,
            context.consumer().handler(),
            context.stop()::draining);
    if (result instanceof BatchRun.Result.Committed) {
      started = false;
    }
    return result;
  }

  private void emptyStarted(Connection connection) throws SQLException {
    context.batchRun().emptyStarted(connection, runner);
    started = false;
  }

  /** Those of a batch of suspects that do not run: moved, or known anyway. */
  private void settleMoved(List<Entry> entries, List<@Nullable Outcome> outcomes) {
    List<Entry> known = new ArrayList<>();
    List<@Nullable Outcome> theirs = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      if (outcomes.get(i) != null) {
        known.add(entries.get(i));
        theirs.add(outcomes.get(i));
      }
    }
    if (!known.isEmpty()) {
      settle(
          known, new BatchRun.Result.Committed(theirs, new long[known.size()]), new Action.Run());
    }
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

  private List<Part> afterFailure(Part part, BatchRun.Result.Failed failure) {
    List<Entry> entries = part.entries();
    SQLException sql = SqlErrors.in(failure.cause());
    if (sql != null
        && failure.ended() == null
        && !context.database().works(session, System.nanoTime())) {
      return List.of(part);
    }
    emptyStartedAfterFailure();
    boolean again = sql != null && SqlErrors.passing(sql.getSQLState());
    if (entries.size() > 1) {
      batchSize(entries).failed();
      return cut(part, failure, again);
    }
    Entry entry = entries.get(0);
    if (failure.cause() instanceof BatchRun.OrderBusy) {
      return notItsOwn(entry);
    }
    if (again && entry.uncountedRuns < UNCOUNTED_RUNS) {
      entry.uncountedRuns++;
      return List.of(part);
    }
    if (!(part.action() instanceof Action.Run)) {
      return notBooked(entry, failure.cause());
    }
    if (failure.ended() != null) {
      return List.of(dead(entry, failure.ended(), failure.cause()));
    }
    return failed(entry, failure.cause());
  }

  private BatchSize batchSize(List<Entry> entries) {
    return entries.get(0).lease == null ? context.batchSize() : context.parkedBatchSize();
  }

  /** Else a copy elsewhere would be taken for one whose run has died. */
  private void emptyStartedAfterFailure() {
    if (started) {
      try {
        emptyStarted(session.get().connection());
      } catch (SQLException e) {
        // Tried again before the next batch.
        session.rollback(e);
      }
    }
  }

  private static Part dead(Entry entry, String reason, Throwable cause) {
    return Part.of(
        entry,
        entry.lease == null
            ? new Action.Park(Parking.dead(reason, entry.key != null), cause)
            : new Action.Release(Retries.dead(entry.lease, reason), cause));
  }

  /** The row itself could not be written, though the database works: tried again, at leisure. */
  private List<Part> notBooked(Entry entry, Throwable cause) {
    LOG.error(
        "consumer '{}': message {} could not be parked",
        context.consumer().name(),
        entry.name(),
        cause);
    if (entry.orderingKey != null && entry.lease == null) {
      owner.runAfter(context.failures().pause(context.failures().count(entry.name())), entry);
    } else if (entry.lease == null) {
      owner.holdFor(context.failures().pause(context.failures().count(entry.name())), entry);
    }
    return List.of();
  }

  /** Before, failed, after: or one by one, where nobody can say which message failed. */
  private static List<Part> cut(Part part, BatchRun.Result.Failed failure, boolean again) {
    List<Entry> entries = part.entries();
    int at = failure.index();
    if (at < 0 || failure.ended() != null || !(part.action() instanceof Action.Run)) {
      return apart(part);
    }
    List<Part> parts = new ArrayList<>(3);
    parts.add(Part.run(entries.subList(at + 1, entries.size())));
    Entry one = entries.get(at);
    // In a transaction that is aborted already, the error is that of one before it, which swallowed
    // it.
    boolean anothers =
        at > 0 && SqlErrors.IN_FAILED_TRANSACTION.equals(SqlErrors.stateOf(failure.cause()));
    parts.add(
        again || anothers
            ? Part.run(List.of(one))
            : Part.of(one, new Action.Failed(failure.cause())));
    parts.add(Part.run(entries.subList(0, at)));
    return parts;
  }

  /** Each alone; last one first. */
  private static List<Part> apart(Part part) {
    List<Part> parts = new ArrayList<>(part.entries().size());
    for (int i = part.entries().size() - 1; i >= 0; i--) {
      parts.add(part.with(List.of(part.entries().get(i))));
    }
    return parts;
  }

  /** A message failed, alone, and the database works. */
  private List<Part> failed(Entry entry, Throwable cause) {
    String state = context.consumer().isPermanent(cause) ? null : SqlErrors.stateOf(cause);
    Set<String> notTheirOwn = context.gate().failed(entry.name(), state);
    if (!notTheirOwn.isEmpty()) {
      notTheirOwn.forEach(context.failures()::forget);
      return notItsOwn(entry);
    }
    if (entry.lease == null && context.consumer().failurePolicy() == FailurePolicy.REQUEUE) {
      hold(entry, cause);
      return List.of();
    }
    if (state != null) {
      // The next ones may fail alike, and then it was none of theirs.
      entry.failedAt = System.nanoTime();
      owner.decideLater(entry, cause);
      return List.of();
    }
    return List.of(booked(entry, cause));
  }

  private List<Part> notItsOwn(Entry entry) {
    if (entry.lease != null) {
      return List.of(Part.of(entry, new Action.GiveBack(GATE_PAUSE_OF_LEASED)));
    }
    owner.runAfter(GATE_PAUSE, entry);
    return List.of();
  }

  /** Decides about a failure that was left open; by now the gate has heard of the others. */
  void decide(Entry entry, Throwable cause) {
    if (context.gate().closedSince(entry.failedAt)) {
      notItsOwn(entry).forEach(work::push);
    } else {
      work.push(booked(entry, cause));
    }
  }

  private Part booked(Entry entry, Throwable cause) {
    if (entry.lease == null) {
      Parking parking = context.retries().afterDelivery(cause);
      tellFailed(entry, cause, 1, parking.dead() ? null : parking.pause());
      return Part.of(entry, new Action.Park(parking, cause));
    }
    Released to = context.retries().afterRun(entry.lease, cause);
    tellFailed(entry, cause, entry.lease.attempts(), to.dead() ? null : to.pause());
    return Part.of(entry, new Action.Release(to, cause));
  }

  private void tellFailed(Entry entry, Throwable cause, int count, @Nullable Duration pause) {
    LOG.warn(
        "consumer '{}': message {} failed for the {}. time, {}: {}",
        context.consumer().name(),
        entry.name(),
        count,
        pause == null ? "and is not tried again" : "next try in " + pause.toMillis() + " ms",
        String.valueOf(cause));
    LOG.debug("the failure in full", cause);
    context.telling().tell(l -> l.failed(context.consumer().name(), entry.name(), count, cause));
  }

  /** Under {@code REQUEUE}. */
  private void hold(Entry entry, Throwable cause) {
    int count = context.failures().count(entry.name());
    Duration pause = context.failures().pause(count);
    tellFailed(entry, cause, count, pause);
    entry.uncountedRuns = 0;
    if (entry.orderingKey == null) {
      owner.holdFor(pause, entry);
    } else {
      // Given back it would be overtaken by those of its key that are here.
      owner.runAfter(pause, entry);
    }
    // The failure may have been the want of a connection: then this one ends the want of another
    // lane.
    session.release();
  }

  private void settle(List<Entry> entries, BatchRun.Result.Committed committed, Action action) {
    List<Delivery> done = new ArrayList<>(entries.size());
    List<Entry> unrun = new ArrayList<>();
    boolean applied = false;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      Outcome outcome = committed.outcomes().get(i);
      applied |= outcome instanceof Outcome.Applied;
      if (entry.delivery == null) {
        entry.settled = true;
      } else if (outcome == null) {
        unrun.add(entry);
      } else if (outcome instanceof Outcome.InFlight) {
        // A settled mark keeps it out of the parts of this batch; it comes back as a new one.
        entry.settled = true;
        owner.inFlight(entry);
      } else {
        done.add(entry.delivery);
      }
    }
    owner.acknowledge(done);
    for (int i = 0; i < entries.size(); i++) {
      Outcome outcome = committed.outcomes().get(i);
      if (outcome != null && outcome.settled()) {
        entries.get(i).settled = true;
      }
    }
    if (!unrun.isEmpty()) {
      unrun.forEach(e -> e.settled = true);
      owner.giveBack(unrun);
    }
    if (entries.get(0).delivery != null) {
      context.probe().reached(Step.SETTLED);
    }
    if (action instanceof Action.Run) {
      long nanos = 0;
      for (long each : committed.handlerNanos()) {
        nanos += each;
      }
      batchSize(entries).succeeded(nanos);
      context.deadline().ran(nanos, entries.size());
    } else if (!done.isEmpty()) {
      session.release();
    }
    if (applied) {
      context.gate().applied();
    }
    for (int i = 0; i < entries.size(); i++) {
      told(entries.get(i), committed.outcomes().get(i), action);
      tell(entries.get(i), committed, i, entries.size());
    }
  }

  /** Says what became dead, and lets the lanes know what will be due. */
  private void told(Entry entry, @Nullable Outcome outcome, Action action) {
    if (action instanceof Action.Park park && outcome instanceof Outcome.Parked) {
      parked(entry, park.parking().dead(), park.parking().reason(), park.parking().pause());
    } else if (action instanceof Action.Release && !(outcome instanceof Outcome.Parked)) {
      LOG.debug("the lease of message {} was over before its failure was booked", entry.name());
    } else if (action instanceof Action.Release release) {
      parked(entry, release.to().dead(), release.to().reason(), release.to().pause());
    } else if (outcome instanceof Outcome.Conflict) {
      parked(entry, true, Reasons.CONFLICT, Duration.ZERO);
    } else if (outcome instanceof Outcome.TooOld) {
      parked(entry, true, Reasons.TOO_OLD, Duration.ZERO);
    } else if (outcome instanceof Outcome.Parked parked) {
      boolean copy = parked.reason().equals(Reasons.COPY_OF_PARKED);
      if (!copy) {
        parked(entry, entry.key == null, parked.reason(), Duration.ZERO);
      }
    }
  }

  private void parked(Entry entry, boolean dead, String reason, Duration pause) {
    if (dead) {
      context.parked().died(entry.key, entry.orderingKey, reason);
    } else {
      context.parked().parked(pause);
    }
  }

  private void tell(Entry entry, BatchRun.Result.Committed committed, int i, int size) {
    Outcome outcome = committed.outcomes().get(i);
    boolean stillParked = entry.lease != null && outcome instanceof Outcome.Parked;
    if (outcome == null || !outcome.settled() || stillParked) {
      return;
    }
    int failures =
        entry.lease != null ? entry.lease.attempts() - 1 : context.failures().of(entry.name());
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
            size,
            Duration.ofNanos(System.nanoTime() - entry.receivedNanos));
    context.telling().tell(l -> l.settled(settled));
  }

  /** Rows that are not to be run at all, whatever their keys say. */
  void addLeased(List<Entry> leased) {
    List<Entry> toRun = new ArrayList<>();
    List<Part> others = new ArrayList<>();
    for (Entry entry : leased) {
      if (entry.badReason != null) {
        others.add(Part.of(entry, new Action.Release(notRun(entry, entry.badReason), null)));
      } else if (entry.lease.expired()) {
        others.add(Part.of(entry, new Action.Release(notRun(entry, Reasons.EXPIRED), null)));
      } else {
        toRun.add(entry);
      }
    }
    if (!toRun.isEmpty()) {
      add(toRun);
    }
    others.forEach(work::push);
  }

  private static Released notRun(Entry entry, String reason) {
    ParkedMessages.Lease lease = entry.lease;
    return new Released(
        true, reason, lease.attempts() - 1, lease.deaths(), lease.alone(), Duration.ZERO);
  }
}
