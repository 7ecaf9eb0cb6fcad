package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Says every five seconds that this worker lives, and asks every second for a database that is
 * away. Survives anything.
 */
final class Heart {

  private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Database database;
  private final Workers workers;
  private final UUID worker;
  private final Telling telling;
  private final SessionHolder session;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          r -> {
            Thread t = new Thread(r, "semel-heart");
            t.setDaemon(true);
            return t;
          });
  private long lastBeat = System.nanoTime();

  Heart(Database database, Workers workers, UUID worker, Telling telling) {
    this.database = database;
    this.workers = workers;
    this.worker = worker;
    this.telling = telling;
    this.session = new SessionHolder(database::open);
  }

  void start() {
    thread.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
  }

  private void tick() {
    try {
      if (database.away()) {
        database.works(session, System.nanoTime());
      } else if (System.nanoTime() - lastBeat >= BEAT_NANOS) {
        beat();
      }
      database.reassert();
    } catch (Throwable t) {
      // An exception would cancel the schedule, and nobody would notice.
      session.discard();
      database.works(session, System.nanoTime());
    } finally {
      session.release();
    }
  }

  private void beat() throws SQLException {
    Connection connection = session.get().connection();
    workers.beat(connection, worker);
    connection.commit();
    lastBeat = System.nanoTime();
    telling.tell(l -> l.succeeded("heart"));
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
