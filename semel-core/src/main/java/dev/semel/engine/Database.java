package dev.semel.engine;

import dev.semel.Listener.Outage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether the database can be written: asked by a write that is rolled back, never guessed from an
 * error. A slow message whose query always hits a time-out has the same SQLSTATE as a server that
 * chokes.
 *
 * <p>While it is away nobody hammers it: the heart asks once a second, and the lanes wait.
 */
final class Database {

  private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DataSource dataSource;
  private final Duration statementTimeout;
  private final Workers workers;
  private final Outages outages;

  /** Told when it goes away and comes back; set once, before any lane runs. */
  private volatile Consumer<Boolean> watcher = away -> {};

  private @Nullable Boolean answer;
  private long askedAt;
  private volatile boolean away;

  /** Held while asking, which may wait for a connection; those who only look are not kept. */
  private final Object asking = new Object();

  Database(DataSource dataSource, Duration statementTimeout, Workers workers, Outages outages) {
    this.dataSource = dataSource;
    this.statementTimeout = statementTimeout;
    this.workers = workers;
    this.outages = outages;
  }

  Session open() throws SQLException {
    return Session.open(dataSource, statementTimeout);
  }

  /**
   * Asks, on the holder's session or its replacement. A "no" is shared for a second; a "yes" only
   * by those who failed before it was asked.
   *
   * @param failedAt {@link System#nanoTime()} of the failure that made somebody ask
   */
  boolean works(SessionHolder holder, long failedAt) {
    boolean works;
    boolean wasAway;
    String reason = "";
    synchronized (asking) {
      if (answer != null
          && (answer ? askedAt - failedAt > 0 : System.nanoTime() - askedAt < SHARED_NANOS)) {
        return answer;
      }
      wasAway = away;
      askedAt = System.nanoTime();
      String refusal = ask(holder);
      if (refusal != null) {
        // It may have been this session that ended, at this moment: its replacement decides.
        refusal = ask(holder);
      }
      works = refusal == null;
      reason = refusal == null ? "" : refusal;
      answer = works;
      synchronized (this) {
        away = !works;
        notifyAll();
      }
    }
    if (works == wasAway) {
      tell(works, reason);
      reassert();
    }
    return works;
  }

  /** Null if the database can be written, else what it said. */
  private @Nullable String ask(SessionHolder holder) {
    try {
      probe(holder.get().connection());
      return null;
    } catch (Throwable e) {
      // An Error too: an answer is wanted, and a data source without threads cannot give a yes.
      holder.discard();
      return String.valueOf(e.getMessage());
    }
  }

  private void probe(Connection connection) throws SQLException {
    try {
      workers.probe(connection);
    } finally {
      connection.rollback();
    }
  }

  private void tell(boolean works, String reason) {
    if (works) {
      outages.ended(Outage.Kind.DATABASE, "database");
    } else {
      outages.began(Outage.Kind.DATABASE, "database", reason);
    }
  }

  void whenAway(Consumer<Boolean> told) {
    this.watcher = told;
  }

  /**
   * Tells the watcher again. Two lanes may tell of "away" and "back" in the wrong order, so the
   * heart does this now and then.
   */
  void reassert() {
    watcher.accept(away());
  }

  boolean away() {
    return away;
  }

  /** Waits until it is back, or until there is no reason to wait any more. */
  synchronized void awaitBack(BooleanSupplier enough) throws InterruptedException {
    while (away && !enough.getAsBoolean()) {
      wait(100);
    }
  }
}
