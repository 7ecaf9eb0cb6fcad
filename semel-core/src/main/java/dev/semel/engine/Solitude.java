package dev.semel.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs messages that were in a run that died, one at a time, while this process holds nothing else:
 * before it subscribes, or in a pause of its intake. If one kills the process, nobody pays with it,
 * and it is clear whose death that was.
 */
final class Solitude implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private static final long FIRST_PATIENCE = TimeUnit.SECONDS.toNanos(30);
  private static final long LONGEST_PATIENCE = TimeUnit.MINUTES.toNanos(10);

  private final Database database;
  private final StopState stop;
  private volatile List<RunningConsumer> consumers = List.of();
  private volatile boolean requested;
  private long patience = FIRST_PATIENCE;
  private long notBefore = System.nanoTime();

  Solitude(Database database, StopState stop) {
    this.database = database;
    this.stop = stop;
  }

  void of(List<RunningConsumer> all) {
    this.consumers = all;
  }

  /** A message waits to run alone. */
  synchronized void request() {
    if (!requested && System.nanoTime() - notBefore >= 0) {
      requested = true;
      notifyAll();
    }
  }

  /** While true, lanes finish what they have and begin no parked message. */
  boolean requested() {
    return requested;
  }

  @Override
  public void run() {
    runAlone();
    while (!stop.draining()) {
      try {
        consumers.forEach(RunningConsumer::start);
        if (awaitRequest()) {
          pauseAndRun();
        }
      } catch (InterruptedException e) {
        LOG.debug("interrupted while no message ran alone");
      } catch (Throwable t) {
        LOG.error("messages that run alone could not be seen to; going on", t);
      } finally {
        resume();
      }
    }
  }

  private synchronized boolean awaitRequest() throws InterruptedException {
    if (!requested) {
      wait(200);
    }
    return requested && !stop.draining();
  }

  private void pauseAndRun() throws InterruptedException {
    long deadline = System.nanoTime() + patience;
    // An order gives all back when it pauses, so it does so only when its handlers are done.
    hold(false);
    if (!await(deadline, c -> c.ordered() ? c.runsNothing() : c.holdsNothing())) {
      return;
    }
    hold(true);
    if (!await(deadline, RunningConsumer::holdsNothing)) {
      return;
    }
    patience = FIRST_PATIENCE;
    runAlone();
  }

  private void hold(boolean ordered) {
    consumers.stream()
        .filter(c -> c.ordered() == ordered)
        .forEach(c -> c.hold(RunningConsumer.Hold.ALONE, true));
  }

  private boolean await(long deadline, Predicate<RunningConsumer> what)
      throws InterruptedException {
    while (!consumers.stream().allMatch(what)) {
      if (stop.draining()) {
        return false;
      }
      if (System.nanoTime() - deadline > 0) {
        // Slow handlers must not keep the whole process from taking messages.
        LOG.info("a message that is to run alone waits: handlers are still at work");
        notBefore = System.nanoTime() + patience;
        patience = Math.min(2 * patience, LONGEST_PATIENCE);
        return false;
      }
      Thread.sleep(10);
    }
    return true;
  }

  private void runAlone() {
    for (RunningConsumer consumer : consumers) {
      try {
        while (!stop.draining() && !database.away() && consumer.runOneAlone()) {
          LOG.debug("consumer '{}': a message ran alone", consumer.name());
        }
      } catch (InterruptedException e) {
        LOG.debug("interrupted while a message ran alone");
      } catch (SQLException e) {
        LOG.debug("messages that run alone could not be asked for", e);
      } catch (Throwable t) {
        LOG.error("consumer '{}': a message that ran alone; going on", consumer.name(), t);
      } finally {
        // The pool may have no more connections than there are lanes.
        consumer.releaseAlone();
      }
    }
  }

  private synchronized void resume() {
    if (requested) {
      requested = false;
      consumers.forEach(c -> c.hold(RunningConsumer.Hold.ALONE, false));
    }
  }
}
