package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Handler;
import dev.semel.Outcome;
import dev.semel.TransactionMisuseException;
import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a batch: the trace before a run of suspects, the run itself (begin, claim,
 * handle, verify, commit), and parking. What is to be done about a failure is the lane's business;
 * this tells exactly what happened.
 *
 * <p>An error that is neither the handler's nor the database's is thrown as it is, with the outcome
 * of the transaction unknown to the caller.
 */
final class BatchRun {

  /** What became of one transaction. */
  sealed interface Result {

    /**
     * Committed. {@code outcomes} has null for an entry that was not run, because the worker stops
     * or its channel has closed.
     */
    record Committed(List<@Nullable Outcome> outcomes, long[] handlerNanos) implements Result {}

    /**
     * Not committed, for certain; still to be rolled back. {@code index} is the entry to blame, or
     * -1. {@code ended} says what the handler did to end the transaction, if it did.
     */
    record Failed(int index, Throwable cause, @Nullable String ended) implements Result {}

    /** The commit was sent and not answered. */
    record Unknown(Throwable cause) implements Result {}
  }

  private final ProcessedMessages processed;
  private final ParkedMessages parked;
  private final DeadLetters deadLetters;
  private final Started started;
  private final OutboxMessages outbox;
  private final Wakeup wakeup;
  private final Claims claims;
  private final HandlerRun handlers;
  private final Consumer consumer;
  private final Timeouts timeouts;
  private final Probe probe;

  BatchRun(
      Tables tables,
      Claims claims,
      Consumer consumer,
      Timeouts timeouts,
      Wakeup wakeup,
      Probe probe) {
    this.processed = tables.processed();
    this.parked = tables.parked();
    this.deadLetters = new DeadLetters(tables, consumer);
    this.started = tables.started();
    this.outbox = tables.outbox();
    this.wakeup = wakeup;
    this.claims = claims;
    this.handlers = new HandlerRun(consumer);
    this.consumer = consumer;
    this.timeouts = timeouts;
    this.probe = probe;
  }

  /**
   * Before a batch that holds suspects: those that were in a run that died are moved into {@code
   * parked_messages}, and the row of this lane names what is about to run.
   *
   * @return outcomes of those that are moved or were known anyway; null for those that may run
   */
  Result start(Connection connection, Started.Runner runner, List<Entry> entries) {
    List<@Nullable Outcome> outcomes = new ArrayList<>(entries.size());
    try {
      List<Entry> suspects =
          entries.stream().filter(e -> e.suspect() && e.key != null).distinct().toList();
      Claims.Held held = claims.lock(connection, timeouts, suspects);
      Set<String> died = died(connection, runner, suspects, held);
      for (Entry entry : entries) {
        outcomes.add(
            entry.key == null || !died.contains(entry.key)
                ? null
                : moved(claims.known(connection, held, entry)));
      }
      parkUnusable(connection, entries, outcomes);
      List<String> toRun = new ArrayList<>();
      for (int i = 0; i < entries.size(); i++) {
        if (outcomes.get(i) == null && entries.get(i).key != null) {
          toRun.add(entries.get(i).key);
        }
      }
      started.write(connection, runner, toRun);
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, -1, Step.STARTED);
    return notCommitted != null
        ? notCommitted
        : new Result.Committed(outcomes, new long[entries.size()]);
  }

  /**
   * Keys that were in a run that died; and, while there is such a run, those that the broker has
   * taken back twice: their poison may be another one, and a queue's delivery limit is near.
   */
  private Set<String> died(
      Connection connection, Started.Runner runner, List<Entry> suspects, Claims.Held held)
      throws SQLException {
    if (held.keys().isEmpty()) {
      return Set.of();
    }
    Set<String> died = started.died(connection, runner, List.copyOf(held.keys()));
    List<String> twice =
        suspects.stream()
            .filter(e -> e.returns() >= 2 && held.keys().contains(e.key))
            .map(e -> e.key)
            .toList();
    if (!died.containsAll(twice) && started.anyDied(connection, consumer.name())) {
      died.addAll(twice);
    }
    return died;
  }

  private static Outcome moved(@Nullable Outcome known) {
    return known == null ? new Outcome.Parked(Reasons.RUN_DIED) : known;
  }

  /** Empties the row of a lane whose run has ended without a commit. */
  void emptyStarted(Connection connection, Started.Runner runner) throws SQLException {
    started.empty(connection, runner);
    connection.commit();
  }

  /**
   * Applies a batch: of deliveries, or of leased rows.
   *
   * @param runner whose row in {@code started} is emptied with the commit; null if there is none
   * @param handler applies one message; null for the consumer's batch handler
   */
  Result apply(
      Connection connection,
      Started.@Nullable Runner runner,
      List<Entry> entries,
      @Nullable Handler handler,
      BooleanSupplier stopping) {
    List<@Nullable Outcome> outcomes;
    long[] nanos;
    boolean promised;
    try {
      Claims.Result claim = claims.begin(connection, timeouts, entries);
      outcomes = claim.outcomes();
      probe.reached(Step.CLAIMED);
      Set<Entry> lost = new HashSet<>();
      List<String> unrun = lockRows(connection, entries, outcomes, lost);
      Promises promises = new Promises(claims.installation(), consumer.name());
      nanos = handlers.run(connection, entries, outcomes, handler, promises, stopping);
      copiesFollowTheirFirst(entries, outcomes);
      probe.reached(Step.HANDLED);
      List<OutboxMessages.New> sent = promises.messages();
      if (entries.get(0).lease != null
          || !sent.isEmpty()
          || outcomes.stream().anyMatch(BatchRun::isWritten)) {
        processed.resetRole(connection);
      }
      promised = !sent.isEmpty();
      if (promised) {
        promise(connection, sent);
        probe.reached(Step.PROMISED);
      }
      unclaim(connection, claim, entries, outcomes, unrun);
      parkUnusable(connection, entries, outcomes);
      endLeases(connection, entries, outcomes, lost);
      if (runner != null) {
        started.empty(connection, runner);
      }
      if (claim.xid() != null) {
        Result.Failed refused = verify(connection, claim.xid(), entries.size());
        if (refused != null) {
          return refused;
        }
      }
      probe.reached(Step.VERIFIED);
    } catch (OrderBusy e) {
      return new Result.Failed(-1, e, null);
    } catch (HandlerRun.Threw e) {
      return new Result.Failed(e.index, e.getCause(), whatEnded(connection, e.getCause()));
    } catch (SQLException e) {
      return ofOurOwn(connection, entries.size(), e);
    }
    Result notCommitted = commit(connection, entries.size() == 1 ? 0 : -1);
    if (notCommitted != null) {
      return notCommitted;
    }
    if (promised) {
      wakeup.signal();
    }
    return new Result.Committed(outcomes, nanos);
  }

  /**
   * Another transaction holds the order of a message that is to be sent, and does not end: nobody's
   * attempt.
   */
  static final class OrderBusy extends SQLException {

    private static final long serialVersionUID = 1L;

    OrderBusy(SQLException e) {
      super(e.getMessage(), e.getSQLState(), e);
    }
  }

  private void promise(Connection connection, List<OutboxMessages.New> sent) throws SQLException {
    try {
      outbox.insert(connection, sent);
    } catch (SQLException e) {
      throw SqlErrors.LOCK_NOT_AVAILABLE.equals(e.getSQLState()) ? new OrderBusy(e) : e;
    }
  }

  /**
   * A statement of ours failed after the handlers: because the handler has swallowed an error, or
   * has ended the transaction, or for a reason of its own.
   */
  private static Result.Failed ofOurOwn(Connection connection, int size, SQLException e) {
    int index = size == 1 ? 0 : -1;
    if (SqlErrors.IN_FAILED_TRANSACTION.equals(e.getSQLState())) {
      return new Result.Failed(
          index, new TransactionMisuseException(Reasons.ERROR_SWALLOWED, e), null);
    }
    return new Result.Failed(
        SqlErrors.ofGuard(e) ? index : -1,
        e,
        SqlErrors.ofGuard(e) ? whatEnded(connection, e) : null);
  }

  /**
   * Leased rows that are to run: from here on nobody can take them over. One that somebody has
   * taken over is lost to us, and not run.
   *
   * @return keys that were claimed for rows that are lost
   */
  private List<String> lockRows(
      Connection connection, List<Entry> entries, List<@Nullable Outcome> outcomes, Set<Entry> lost)
      throws SQLException {
    List<String> claimed = new ArrayList<>();
    if (entries.get(0).lease == null) {
      return claimed;
    }
    Set<UUID> locked =
        parked.lockRows(
            connection,
            entries.get(0).lease.token(),
            entries.stream().map(e -> e.lease.id()).toList());
    Set<String> stopped = new HashSet<>();
    for (int i = 0; i < entries.size(); i++) {
      String orderingKey = entries.get(i).orderingKey;
      if (!locked.contains(entries.get(i).lease.id())
          || orderingKey != null && stopped.contains(orderingKey)) {
        // Nor may those of its key run that are behind it.
        stopped.add(orderingKey);
        lost.add(entries.get(i));
        if (outcomes.set(i, new Outcome.InFlight()) == null) {
          claimed.add(entries.get(i).key);
        }
      }
    }
    probe.reached(Step.ROW_LOCKED);
    return claimed;
  }

  /** What becomes of leased rows, in the transaction of their effect. */
  private void endLeases(
      Connection connection, List<Entry> entries, List<@Nullable Outcome> outcomes, Set<Entry> lost)
      throws SQLException {
    if (entries.get(0).lease == null) {
      return;
    }
    UUID token = entries.get(0).lease.token();
    List<UUID> applied = new ArrayList<>();
    List<UUID> duplicates = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      ParkedMessages.Lease lease = entry.lease;
      Outcome outcome = outcomes.get(i);
      if (lost.contains(entry)) {
        // No more than a wish: it may be somebody else's by now, or locked by a run that has died.
        parked.giveBack(connection, token, List.of(lease.id()), Duration.ZERO);
        continue;
      }
      if (outcome instanceof Outcome.Applied) {
        applied.add(lease.id());
      } else if (outcome instanceof Outcome.Duplicate) {
        duplicates.add(lease.id());
      } else if (outcome == null || outcome instanceof Outcome.InFlight) {
        Duration pause = outcome == null ? Duration.ZERO : inFlightPause(lease.age());
        parked.giveBack(connection, token, List.of(lease.id()), pause);
      } else {
        String reason = reasonOfDead(outcome);
        deadLetters.release(
            connection,
            lease.id(),
            token,
            new ParkedMessages.Released(
                true, reason, lease.attempts() - 1, lease.deaths(), lease.alone(), Duration.ZERO),
            null,
            entry.message);
      }
    }
    if (!applied.isEmpty()) {
      parked.remove(connection, token, applied, Books.APPLIED);
    }
    if (!duplicates.isEmpty()) {
      parked.remove(connection, token, duplicates, Books.DUPLICATE);
    }
  }

  /** Another look at a key that others work on: soon at first, then as slowly as they are. */
  static Duration inFlightPause(Duration age) {
    long millis = Math.max(1_000, Math.min(60_000, age.toMillis() / 4));
    return Duration.ofMillis(millis);
  }

  private static String reasonOfDead(Outcome outcome) {
    if (outcome instanceof Outcome.Conflict) {
      return Reasons.CONFLICT;
    }
    return outcome instanceof Outcome.Parked parked ? parked.reason() : Reasons.TOO_OLD;
  }

  /** Parks one delivery: a claim that inserts elsewhere. */
  Result park(
      Connection connection,
      Entry entry,
      ParkedMessages.Parking parking,
      @Nullable Throwable error) {
    List<@Nullable Outcome> outcomes = new ArrayList<>(1);
    try {
      Claims.Held held = claims.lock(connection, timeouts, List.of(entry));
      Outcome outcome =
          !held.has(entry)
              ? new Outcome.InFlight()
              : entry.key == null ? null : claims.known(connection, held, entry);
      if (outcome == null) {
        deadLetters.insert(connection, List.of(new ParkedMessages.Row(entry, parking, error)));
        outcomes.add(new Outcome.Parked(parking.reason()));
      } else if (outcome instanceof Outcome.Parked) {
        // An equal row is there: parked in flight, or by our own commit whose answer was lost.
        deadLetters.insert(connection, List.of(new ParkedMessages.Row(entry, parking, error)));
        outcomes.add(outcome);
      } else {
        // Somebody has applied the key since: then this one is a copy, or a conflict.
        outcomes.add(outcome);
        parkUnusable(connection, List.of(entry), outcomes);
      }
      probe.reached(Step.PARKED);
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, -1);
    return notCommitted != null ? notCommitted : new Result.Committed(outcomes, new long[1]);
  }

  /** Parks one delivery whose key somebody else has locked, without a look at the key. */
  Result parkInFlight(Connection connection, Entry entry) {
    try {
      processed.begin(connection, timeouts);
      probe.reached(Step.LOCKED);
      parked.insertInFlight(
          connection,
          consumer.name(),
          new ParkedMessages.Row(
              entry, ParkedMessages.Parking.inFlight(inFlightPause(Duration.ZERO)), null));
      probe.reached(Step.PARKED);
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, -1);
    List<@Nullable Outcome> outcomes = new ArrayList<>(1);
    outcomes.add(new Outcome.Parked(Reasons.IN_FLIGHT));
    return notCommitted != null ? notCommitted : new Result.Committed(outcomes, new long[1]);
  }

  /** Ends the lease of a row whose run has failed; the row is what {@code to} says. */
  Result release(
      Connection connection, Entry entry, ParkedMessages.Released to, @Nullable Throwable error) {
    List<@Nullable Outcome> outcomes = new ArrayList<>(1);
    try {
      processed.begin(connection, timeouts);
      probe.reached(Step.LOCKED);
      outcomes.add(
          deadLetters.release(
                  connection, entry.lease.id(), entry.lease.token(), to, error, entry.message)
              ? new Outcome.Parked(to.reason())
              : new Outcome.InFlight());
      probe.reached(Step.PARKED);
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, -1);
    return notCommitted != null ? notCommitted : new Result.Committed(outcomes, new long[1]);
  }

  /** Gives back the leases of rows that were not run; no attempt is counted. */
  Result giveBack(Connection connection, List<Entry> entries, Duration pause) {
    List<@Nullable Outcome> outcomes = new ArrayList<>();
    try {
      processed.begin(connection, timeouts);
      parked.giveBack(
          connection,
          entries.get(0).lease.token(),
          entries.stream().map(e -> e.lease.id()).toList(),
          pause);
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    entries.forEach(e -> outcomes.add(new Outcome.InFlight()));
    Result notCommitted = commit(connection, -1, null);
    return notCommitted != null
        ? notCommitted
        : new Result.Committed(outcomes, new long[entries.size()]);
  }

  /**
   * Rows for what a claim found unusable (no key, conflict, too old, behind another), and a trace
   * for copies of rows that are there already; in the transaction of that claim, after its
   * handlers, since nobody should wait for a handler to enter a row.
   */
  private void parkUnusable(
      Connection connection, List<Entry> entries, List<@Nullable Outcome> outcomes)
      throws SQLException {
    if (entries.get(0).lease == null) {
      parkUnusable(parked, deadLetters, connection, consumer.name(), entries, outcomes);
    }
  }

  static void parkUnusable(
      ParkedMessages parked,
      DeadLetters deadLetters,
      Connection connection,
      String consumer,
      List<Entry> entries,
      List<@Nullable Outcome> outcomes)
      throws SQLException {
    List<ParkedMessages.Row> rows = new ArrayList<>();
    List<Entry> copies = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      Entry entry = entries.get(i);
      ParkedMessages.Parking parking = parkingFor(entry, outcomes.get(i));
      if (parking != null) {
        rows.add(new ParkedMessages.Row(entry, parking, null));
      } else if (outcomes.get(i) instanceof Outcome.Parked) {
        copies.add(entry);
      }
    }
    deadLetters.insert(connection, rows);
    // After the rows, since a copy may be of one of them.
    for (Entry copy : copies) {
      parked.absorb(connection, consumer, copy);
    }
  }

  private static boolean isWritten(@Nullable Outcome outcome) {
    return outcome instanceof Outcome.Conflict
        || outcome instanceof Outcome.TooOld
        || outcome instanceof Outcome.Parked;
  }

  private static ParkedMessages.@Nullable Parking parkingFor(
      Entry entry, @Nullable Outcome outcome) {
    if (outcome instanceof Outcome.Conflict) {
      return ParkedMessages.Parking.dead(Reasons.CONFLICT, false);
    } else if (outcome instanceof Outcome.TooOld) {
      return ParkedMessages.Parking.dead(Reasons.TOO_OLD, false);
    } else if (outcome instanceof Outcome.Parked why) {
      if (entry.key == null) {
        return ParkedMessages.Parking.dead(why.reason(), false);
      }
      return switch (why.reason()) {
        case Reasons.BEHIND -> ParkedMessages.Parking.behind();
        case Reasons.RUN_DIED -> ParkedMessages.Parking.moved();
        default -> null;
      };
    }
    return null;
  }

  /**
   * A copy of a message that was not run after all is the copy of nothing: it goes back as well.
   */
  private static void copiesFollowTheirFirst(
      List<Entry> entries, List<@Nullable Outcome> outcomes) {
    Set<String> unrun = new HashSet<>();
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) == null) {
        unrun.add(entries.get(i).key);
      }
    }
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) instanceof Outcome.Duplicate && unrun.contains(entries.get(i).key)) {
        outcomes.set(i, null);
      }
    }
  }

  private void unclaim(
      Connection connection,
      Claims.Result claim,
      List<Entry> entries,
      List<@Nullable Outcome> outcomes,
      List<String> unrun)
      throws SQLException {
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) == null) {
        unrun.add(entries.get(i).key);
      }
    }
    if (!unrun.isEmpty()) {
      processed.unclaim(connection, claim.turn(), consumer.name(), unrun);
    }
  }

  private Result.@Nullable Failed verify(Connection connection, String xid, int size) {
    int index = size == 1 ? 0 : -1;
    try {
      if (processed.verify(connection, xid)) {
        return null;
      }
      return new Result.Failed(
          index,
          new TransactionMisuseException(Reasons.TRANSACTION_ENDED),
          Reasons.TRANSACTION_ENDED);
    } catch (SQLException e) {
      return new Result.Failed(
          index,
          SqlErrors.IN_FAILED_TRANSACTION.equals(e.getSQLState())
              ? new TransactionMisuseException(Reasons.ERROR_SWALLOWED, e)
              : e,
          null);
    }
  }

  /** Null if committed; {@code index} is the entry to blame for a refusal, or -1. */
  private @Nullable Result commit(Connection connection, int index) {
    return commit(connection, index, Step.COMMITTED);
  }

  private @Nullable Result commit(Connection connection, int index, @Nullable Step step) {
    try {
      connection.commit();
    } catch (SQLException e) {
      return SqlErrors.ofConnection(e.getSQLState())
          ? new Result.Unknown(e)
          : new Result.Failed(index, e, null);
    }
    if (step != null) {
      probe.reached(step);
    }
    return null;
  }

  /**
   * The guard has refused something that the handler sent; what it was shows in the transaction: a
   * refused COMMIT has ended it, forced constraints have left it aborted.
   */
  private static @Nullable String whatEnded(Connection connection, @Nullable Throwable thrown) {
    if (!SqlErrors.ofGuard(thrown)) {
      return null;
    }
    try (Statement s = connection.createStatement()) {
      s.execute("SELECT 1");
      return Reasons.TRANSACTION_ENDED;
    } catch (SQLException e) {
      return SqlErrors.IN_FAILED_TRANSACTION.equals(e.getSQLState())
          ? Reasons.CONSTRAINTS_FORCED
          : Reasons.TRANSACTION_ENDED;
    }
  }
}
