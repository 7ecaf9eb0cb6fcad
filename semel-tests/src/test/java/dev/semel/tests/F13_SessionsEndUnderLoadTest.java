package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * All sessions of the worker are ended by pg_terminate_backend every 100 ms under load of 2,000
 * ids. Right: one effect each, nothing parked; an error from commit is neither success nor failure.
 */
class F13_SessionsEndUnderLoadTest extends WorkerTest {

  private static final int MESSAGES = 600;
  private static final int MORE = 100;
  private static final int LEAST_STRIKES = 20;

  F13_SessionsEndUnderLoadTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneEffectEach() throws IOException, SQLException {
    publishAll(keys("k", MESSAGES), "sleep 2");
    WorkerProcess worker = start(worker().lanes(4).batch(10));
    AtomicInteger strikes = new AtomicInteger();
    ScheduledExecutorService striker = Executors.newSingleThreadScheduledExecutor();
    try {
      striker.scheduleWithFixedDelay(() -> strike(strikes), 100, 100, TimeUnit.MILLISECONDS);
      awaitQueueEmpty();
      for (int i = 0; strikes.get() < LEAST_STRIKES; i++) {
        publishAll(keys("more-" + i, MORE), "sleep 2");
        awaitQueueEmpty();
      }
    } finally {
      striker.shutdownNow();
    }
    assertThat(worker.isAlive()).isTrue();
    assertOnceEach();
    assertThat(ledger.parked()).isZero();
    assertThat(strikes.get()).isGreaterThanOrEqualTo(LEAST_STRIKES);
  }

  /** Counts only when a session was there to be ended. */
  private void strike(AtomicInteger strikes) {
    try {
      if (database.terminateRuntimeSessions() > 0) {
        strikes.incrementAndGet();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
