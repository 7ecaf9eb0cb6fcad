package dev.semel.tests.worker;

import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import dev.semel.tests.worker.WorkerMain.Args;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Strikes once, at a step, and says so before it does. */
final class FaultProbe implements Probe {

  private static final long FREEZE_NANOS = 1_000_000_000L;

  private final Args args;
  private final Probe also;
  private final AtomicInteger reached = new AtomicInteger();
  private final Step step;
  private final String kind;
  private final int at;
  private final @Nullable Step after;
  private volatile boolean armed;

  private FaultProbe(Args args, Probe also) {
    this.args = args;
    this.also = also;
    String[] fault = args.text("fault", "none:none:0").split(":");
    this.step = fault[0].equals("none") ? null : Step.valueOf(fault[0]);
    this.kind = fault[1];
    this.at = Integer.parseInt(fault[2]);
    this.after = fault.length < 4 ? null : Step.valueOf(fault[3]);
    this.armed = after == null;
  }

  static FaultProbe of(Args args, Probe also) {
    return new FaultProbe(args, also);
  }

  /** An Error that nobody expects. */
  static final class Injected extends Error {
    private static final long serialVersionUID = 1L;

    Injected(Step step) {
      super("injected at " + step);
    }
  }

  @Override
  public void reached(Step now) {
    also.reached(now);
    if (now == after) {
      armed = true;
    }
    if (armed && now == step && reached.incrementAndGet() == at) {
      strike();
    }
  }

  private void strike() {
    switch (kind) {
      case "error" -> {
        WorkerMain.say("STRUCK " + step);
        throw new Injected(step);
      }
      case "halt" -> {
        WorkerMain.say("STRUCK " + step);
        Runtime.getRuntime().halt(137);
      }
      case "block" -> {
        WorkerMain.say("STRUCK " + step);
        await();
      }
      case "frozen" -> {
        WorkerMain.say("STRUCK " + step);
        awaitFreeze();
      }
      case "terminate" -> WorkerMain.say("STRUCK " + step + " " + terminate());
      default -> throw new IllegalArgumentException(kind);
    }
  }

  private static void await() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until the process has been stopped for a while and continued: its clock has jumped. */
  private static void awaitFreeze() {
    long seen = System.nanoTime();
    for (long now = seen; now - seen < FREEZE_NANOS; now = System.nanoTime()) {
      seen = now;
      LockSupport.parkNanos(10_000_000);
    }
  }

  /**
   * Ends every session that the worker has and waits until they are gone (other threads may have
   * new ones by then); gives how many, negative if one is still there.
   */
  private int terminate() {
    try (Connection c =
            DriverManager.getConnection(
                args.text("superUrl"), args.text("superUser"), args.text("superPassword"));
        Statement s = c.createStatement()) {
      String pids;
      int ended;
      try (ResultSet r =
          s.executeQuery(
              "SELECT array_agg(t.pid)::text, count(pg_terminate_backend(t.pid, 5000)) FROM (SELECT"
                  + " pid FROM pg_stat_activity WHERE usename = '"
                  + args.text("user")
                  + "') t")) {
        r.next();
        pids = r.getString(1);
        ended = r.getInt(2);
      }
      try (ResultSet r =
          s.executeQuery(
              "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ('" + pids + "'::int[])")) {
        r.next();
        return r.getInt(1) == 0 ? ended : -r.getInt(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
