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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fast path, once: begin, claim, handle, verify, commit. What is to be done about a failure is
 * the lane's business; this tells exactly what happened.
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
  private final Claims claims;
  private final HandlerRun handlers;
  private final Consumer consumer;
  private final Timeouts timeouts;
  private final Probe probe;

  BatchRun(Tables tables, Claims claims, Consumer consumer, Timeouts timeouts, Probe probe) {
    this.processed = tables.processed();
    this.parked = tables.parked();
    this.claims = claims;
    this.handlers = new HandlerRun(consumer);
    this.consumer = consumer;
    this.timeouts = timeouts;
    this.probe = probe;
  }

  /**
   * Applies a batch.
   *
   * @param handler applies one message; null for the consumer's batch handler
   */
  Result apply(
      Connection connection,
      List<Entry> entries,
      @Nullable Handler handler,
      BooleanSupplier stopping) {
    List<@Nullable Outcome> outcomes;
    long[] nanos;
    try {
      Claims.Result claim = claims.begin(connection, timeouts, entries);
      outcomes = claim.outcomes();
      parked.insertUnusable(connection, consumer.name(), entries, outcomes);
      probe.reached(Step.CLAIMED);
      nanos = handlers.run(connection, entries, outcomes, handler, stopping);
      copiesFollowTheirFirst(entries, outcomes);
      probe.reached(Step.HANDLED);
      if (claim.xid() != null) {
        unclaimUnrun(connection, claim, entries, outcomes);
        Result.Failed refused = verify(connection, claim.xid(), entries.size());
        if (refused != null) {
          return refused;
        }
      }
      probe.reached(Step.VERIFIED);
    } catch (HandlerRun.Threw e) {
      return new Result.Failed(e.index, e.getCause(), whatEnded(connection, e.getCause()));
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, entries.size() == 1 ? 0 : -1);
    return notCommitted != null ? notCommitted : new Result.Committed(outcomes, nanos);
  }

  /** Parks one message that can never succeed: a claim that inserts elsewhere. */
  Result park(Connection connection, Entry entry, String reason, Throwable error) {
    List<@Nullable Outcome> outcomes = new ArrayList<>(1);
    try {
      ProcessedMessages.Locked locked = claims.lockOne(connection, timeouts, entry);
      Outcome outcome =
          locked == null
              ? new Outcome.InFlight()
              : entry.key == null ? null : claims.known(connection, locked, entry);
      if (outcome == null) {
        parked.insertDead(
            connection,
            consumer.name(),
            List.of(new ParkedMessages.Row(entry, reason, error, entry.key != null)));
        outcome = new Outcome.Parked(reason);
        outcomes.add(outcome);
      } else {
        // Somebody has applied or parked the key since: then this one may be a conflict, or a copy.
        outcomes.add(outcome);
        parked.insertUnusable(connection, consumer.name(), List.of(entry), outcomes);
      }
    } catch (SQLException e) {
      return new Result.Failed(-1, e, null);
    }
    Result notCommitted = commit(connection, -1);
    return notCommitted != null ? notCommitted : new Result.Committed(outcomes, new long[1]);
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

  private void unclaimUnrun(
      Connection connection,
      Claims.Result claim,
      List<Entry> entries,
      List<@Nullable Outcome> outcomes)
      throws SQLException {
    List<String> unrun = new ArrayList<>();
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
    try {
      connection.commit();
    } catch (SQLException e) {
      return SqlErrors.ofConnection(e.getSQLState())
          ? new Result.Unknown(e)
          : new Result.Failed(index, e, null);
    }
    probe.reached(Step.COMMITTED);
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
