package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that this worker lives when no lane does, and asks every second for a database that is away.
 * Survives anything.
 */
final class Heart {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private final Database database;
  private final Workers workers;
  private final UUID worker;
  private final Started started;
  private final Beat beat;
  private final BooleanSupplier lanesAtWork;
  private final Runnable everySecond;
  private final SessionHolder session;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          r -> {
            Thread t = new Thread(r, "semel-heart");
            t.setDaemon(true);
            return t;
          });

  Heart(
      Database database,
      Tables tables,
      UUID worker,
      Beat beat,
      BooleanSupplier lanesAtWork,
      Runnable everySecond) {
    this.database = database;
    this.workers = tables.workers();
    this.started = tables.started();
    this.everySecond = everySecond;
    this.worker = worker;
    this.beat = beat;
    this.lanesAtWork = lanesAtWork;
    this.session = new SessionHolder(database::open);
  }

  void start() {
    thread.scheduleWithFixedDelay(this::survivingTick, 1, 1, TimeUnit.SECONDS);
  }

  /** An exception would cancel the schedule, and nobody would notice. */
  private void survivingTick() {
    try {
      tick();
    } catch (Throwable t) {
      LOG.error("the heart missed a beat; going on", t);
    }
  }

  private void tick() {
    everySecond.run();
    try {
      if (database.away()) {
        database.works(session, System.nanoTime());
      } else if (lanesAtWork.getAsBoolean() ? beat.overdue() : beat.due()) {
        beat.on(session.get().connection());
      }
      database.reassert();
    } catch (Throwable t) {
      session.discard();
      if (!lanesAtWork.getAsBoolean()) {
        // Else it may be only that the pool has no connection left, since they have them all.
        database.works(session, System.nanoTime());
      }
    } finally {
      session.release();
    }
  }

  /**
   * Ends the beats and writes down that the worker ended cleanly, as far as the database answers.
   */
  void stop() {
    thread.shutdown();
    try {
      thread.awaitTermination(5, TimeUnit.SECONDS);
      if (!database.away()) {
        Connection connection = session.get().connection();
        started.end(connection, worker);
        workers.end(connection, worker);
        connection.commit();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      // Another worker will mark it lost, which is the truth as far as the database knows.
      session.discard();
    } finally {
      session.release();
    }
  }
}
