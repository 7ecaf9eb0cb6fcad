package dev.semel.engine;

import dev.semel.Claim;
import dev.semel.Consumer;
import dev.semel.Handler;
import dev.semel.HandlerFailedException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Settings;
import dev.semel.TransactionMisuseException;
import dev.semel.UnavailableException;
import dev.semel.spi.Probe;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The two ways in besides a source. */
final class EngineInbox implements Inbox {

  /** Runs after passing errors, and questions after a lost answer to COMMIT. */
  private static final int TRIES = 5;

  private final Settings settings;
  private final Tables tables;
  private final Consumer consumer;
  private final Wakeup wakeup;
  private final Probe probe;

  private volatile @Nullable Claims claims;

  EngineInbox(Settings settings, Tables tables, Consumer consumer, Wakeup wakeup, Probe probe) {
    this.settings = settings;
    this.tables = tables;
    this.consumer = consumer;
    this.wakeup = wakeup;
    this.probe = probe;
  }

  @Override
  public Outcome process(Message message, Handler handler) {
    Entry entry = Entry.of(consumer, message, null);
    Timeouts timeouts = Timeouts.of(settings);
    for (int run = 1; ; run++) {
      boolean last = run == TRIES;
      SessionHolder holder =
          new SessionHolder(() -> Session.open(settings.dataSource(), settings.statementTimeout()));
      try {
        Connection connection = holder.get().connection();
        BatchRun batchRun =
            new BatchRun(tables, claims(connection), consumer, timeouts, wakeup, probe);
        BatchRun.Result result =
            batchRun.apply(connection, null, List.of(entry), handler, () -> false);
        if (result instanceof BatchRun.Result.Committed committed) {
          holder.release();
          return committed.outcomes().get(0);
        }
        if (result instanceof BatchRun.Result.Unknown unknown) {
          holder.discard();
          if (last) {
            throw unavailable(unknown.cause());
          }
          continue;
        }
        BatchRun.Result.Failed failed = (BatchRun.Result.Failed) result;
        holder.rollback(failed.cause());
        if (last || !SqlErrors.passing(SqlErrors.stateOf(failed.cause())) || !isSql(failed)) {
          throw refusal(entry, failed);
        }
      } catch (SQLException e) {
        holder.discard();
        throw unavailable(e);
      } finally {
        holder.discard();
      }
    }
  }

  private static boolean isSql(BatchRun.Result.Failed failed) {
    return SqlErrors.in(failed.cause()) != null;
  }

  private static RuntimeException refusal(Entry entry, BatchRun.Result.Failed failed) {
    if (failed.ended() != null) {
      return new TransactionMisuseException(failed.ended(), failed.cause());
    }
    if (failed.cause() instanceof TransactionMisuseException misuse) {
      return misuse;
    }
    if (failed.index() < 0 && SqlErrors.in(failed.cause()) != null) {
      return unavailable(failed.cause());
    }
    return new HandlerFailedException(
        entry.name(),
        "the handler failed on message " + entry.name() + ": " + failed.cause(),
        failed.cause());
  }

  @Override
  public Claim claim(Connection connection, Message message) {
    Entry entry = Entry.of(consumer, message, null);
    try {
      if (connection.getAutoCommit()) {
        throw new TransactionMisuseException(
            "claim needs a transaction: the connection is in autocommit mode; call"
                + " setAutoCommit(false) first");
      }
      if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
        throw new TransactionMisuseException(
            "claim needs READ COMMITTED, but the transaction is at a higher level, such as REPEATABLE"
                + " READ, where a copy that was just applied cannot be seen");
      }
      Claims.Result claim = claims(connection).join(connection, List.of(entry));
      if (claim.insideSavepoint()) {
        // A caller who passes over the refusal and commits must not have stored the key.
        tables.processed().forget(connection, claim.turn(), consumer.name(), entry.key);
        throw new TransactionMisuseException(
            "claim inside a savepoint (or with the driver's autosave=always): a roll-back to it"
                + " would drop the key and keep the effect; claim first, then set savepoints");
      }
      BatchRun.parkUnusable(
          tables.parked(),
          new DeadLetters(tables, consumer),
          connection,
          consumer.name(),
          List.of(entry),
          claim.outcomes());
      return new EngineClaim(tables.processed(), connection, consumer.name(), entry, claim);
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** The scope of the locks is read once, from the first connection that comes along. */
  private Claims claims(Connection connection) throws SQLException {
    Claims known = claims;
    if (known == null) {
      known =
          new Claims(
              tables, consumer, tables.installation().scope(connection, consumer.name()), probe);
      claims = known;
    }
    return known;
  }

  private static UnavailableException unavailable(Throwable cause) {
    return new UnavailableException(
        "the database could not be asked: " + cause.getMessage(), cause);
  }
}
