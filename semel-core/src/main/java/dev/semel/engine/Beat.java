package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sign of life of a worker, due every five seconds. A lane at work gives it on its own session:
 * a pool that is as large as the lanes has no connection left for anybody else.
 */
final class Beat {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Workers workers;
  private final Started started;
  private final UUID worker;
  private final Telling telling;
  private final AtomicLong last = new AtomicLong(System.nanoTime());

  Beat(Tables tables, UUID worker, Telling telling) {
    this.workers = tables.workers();
    this.started = tables.started();
    this.worker = worker;
    this.telling = telling;
  }

  boolean due() {
    return System.nanoTime() - last.get() >= EVERY_NANOS;
  }

  /** Those who should have given it have not. */
  boolean overdue() {
    return System.nanoTime() - last.get() >= 2 * EVERY_NANOS;
  }

  /** Gives it, in a transaction of its own, unless somebody else does so at this moment. */
  void on(Connection connection) throws SQLException {
    long before = last.get();
    if (!due() || !last.compareAndSet(before, System.nanoTime())) {
      return;
    }
    try {
      workers.beat(connection, worker);
      // After an outage all have been silent: whoever comes back first must not bury the others.
      boolean steady = System.nanoTime() - before < 3 * EVERY_NANOS;
      workers.markLost(connection, worker, steady);
      started.clean(connection);
      connection.commit();
    } catch (SQLException e) {
      last.set(before);
      throw e;
    }
    telling.tell(l -> l.succeeded("heart"));
  }
}
