package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells relays of other processes that there is something to read: by {@code NOTIFY} in a
 * transaction of its own, since in that of the business it would make all commits of the database
 * wait for each other; and once for many. One thread, which survives anything.
 */
final class Notifier implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private static final long GAP_MILLIS = 2;
  private static final long IDLE_MILLIS = 1_000;

  private final Database database;
  private final OutboxMessages outbox;
  private final BooleanSupplier allHere;
  private final SessionHolder session;
  private final Semaphore signals = new Semaphore(0);
  private volatile boolean stopping;

  /**
   * @param allHere whether this process reads all shards itself
   */
  Notifier(Database database, OutboxMessages outbox, BooleanSupplier allHere) {
    this.database = database;
    this.outbox = outbox;
    this.allHere = allHere;
    this.session = new SessionHolder(database::open);
  }

  void signal() {
    signals.release();
  }

  @Override
  public void run() {
    while (!stopping) {
      try {
        if (signals.tryAcquire(IDLE_MILLIS, TimeUnit.MILLISECONDS)) {
          signals.drainPermits();
          tell();
          TimeUnit.MILLISECONDS.sleep(GAP_MILLIS);
        } else {
          session.release();
        }
      } catch (InterruptedException e) {
        LOG.debug("interrupted while telling of the outbox");
      } catch (SQLException | RuntimeException | Error e) {
        // Relays look by themselves.
        LOG.debug("relays could not be told of the outbox", e);
        session.discard();
      }
    }
    session.release();
  }

  private void tell() throws SQLException {
    if (stopping || allHere.getAsBoolean() || database.away()) {
      return;
    }
    Connection connection = session.get().connection();
    outbox.notifyRelays(connection);
    connection.commit();
  }

  void stop() {
    stopping = true;
    signals.release();
  }
}
