package dev.semel.rabbitmq;

import com.rabbitmq.client.Connection;
import dev.semel.spi.Intake;
import dev.semel.spi.Subscription;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that compares wanted consumers with actual ones and mends the difference, from the first
 * subscription to the last. It is not told <em>what</em> happened, only that something did: each
 * pass looks at everything, so no order of events can leave a consumer dead (a signal that gets
 * lost costs at most {@link Backoff#LONGEST}). It owns the one connection.
 */
final class Reconciler {

  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);

  private static final int CLOSE_MILLIS = 2_000;
  private static final int ABORT_MILLIS = 500;

  private final Broker broker;
  private final String queue;
  private final List<WantedConsumer> consumers = new CopyOnWriteArrayList<>();
  private final Semaphore signals = new Semaphore(0);
  private final Backoff backoff = new Backoff(System::nanoTime);
  private final Thread thread;
  private volatile @Nullable Connection connection;
  private volatile boolean givenUp;
  private boolean started; // guarded by this
  private boolean ended; // guarded by this
  private boolean warned;

  Reconciler(Broker broker, String queue) {
    this.broker = broker;
    this.queue = queue;
    this.thread = DaemonThreads.named("semel-rabbitmq-" + queue, this::run);
  }

  /** Adds a consumer; null if this loop has ended with its last one. */
  synchronized @Nullable Subscription subscribe(Intake intake, ConsumerSpec spec) {
    if (ended) {
      return null;
    }
    WantedConsumer consumer = new WantedConsumer(spec, intake, this::wake);
    consumers.add(consumer);
    if (started) {
      wake();
    } else {
      started = true;
      thread.start();
    }
    return new RabbitSubscription(consumer, this);
  }

  boolean isOwnThread() {
    return Thread.currentThread() == thread;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /** The broker does not answer while something is to be closed: the connection is cut instead. */
  void giveUp() {
    givenUp = true;
    Connection hanging = connection;
    if (hanging != null) {
      log.warn("{} does not answer; its connection is cut", broker.uri());
      DaemonThreads.named("semel-rabbitmq-cut", () -> hanging.abort(ABORT_MILLIS)).start();
    }
  }

  private void wake() {
    signals.release();
  }

  private void run() {
    boolean more = true;
    while (more) {
      try {
        more = pass();
        if (more) {
          sleep();
        }
      } catch (Throwable t) {
        survive(t);
      }
    }
  }

  private void survive(Throwable t) {
    LockSupport.parkNanos(Backoff.FIRST.toNanos());
    try {
      log.error("queue {}: the loop that keeps the consumers goes on after", queue, t);
    } catch (Throwable alsoInLogging) {
      // there is nobody left to tell, and the consumers matter more
      return;
    }
  }

  private void sleep() {
    long nanos = Backoff.LONGEST.toNanos();
    boolean connected = connection != null;
    for (WantedConsumer each : consumers) {
      if (each.isLacking()) {
        nanos = Math.min(nanos, connected ? each.nanosLeft() : backoff.nanosLeft());
      }
    }
    try {
      if (nanos > 0 && signals.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        signals.drainPermits();
      }
    } catch (InterruptedException e) {
      // nobody has a reason to stop this thread: it ends with its last subscription
      log.debug("queue {}: an interrupt was passed over", queue);
    }
  }

  /** One look at everything; false when there is nothing left to look after. */
  private boolean pass() {
    if (!removeClosed()) {
      return false;
    }
    consumers.forEach(WantedConsumer::observe);
    Connection open = consumers.stream().anyMatch(WantedConsumer::isLacking) ? connected() : null;
    if (open != null) {
      for (WantedConsumer each : consumers) {
        if (each.isLacking() && each.nanosLeft() == 0 && open.isOpen()) {
          each.consume(open);
        }
      }
    }
    consumers.forEach(WantedConsumer::conclude);
    return true;
  }

  private boolean removeClosed() {
    List<WantedConsumer> closed = consumers.stream().filter(WantedConsumer::isClosed).toList();
    closed.forEach(WantedConsumer::shut);
    synchronized (this) {
      consumers.removeAll(closed);
      ended = consumers.isEmpty();
    }
    if (consumers.isEmpty()) {
      closeConnection();
    }
    closed.forEach(WantedConsumer::gone);
    return !consumers.isEmpty();
  }

  private void closeConnection() {
    Connection last = connection;
    if (last != null) {
      connection = null;
      // like close, but it lets a broker that does not answer be
      last.abort(CLOSE_MILLIS);
    }
  }

  private @Nullable Connection connected() {
    Connection now = connection;
    if (now != null && now.isOpen()) {
      return now;
    }
    if (now != null) {
      connection = null;
      backoff.failed();
    }
    return backoff.isDue() ? connect() : null;
  }

  private @Nullable Connection connect() {
    try {
      Connection opened =
          broker.connect(RabbitSource.connectionName(queue), thread.getName() + "-client");
      connection = opened;
      opened.addShutdownListener(cause -> wake());
      givenUp = false;
      backoff.succeeded();
      if (warned) {
        warned = false;
        log.info("connected to {} again", broker.uri());
      }
      return opened;
    } catch (IOException | TimeoutException | RuntimeException e) {
      backoff.failed();
      notConnected(e);
      return null;
    }
  }

  private void notConnected(Exception e) {
    String why = new Refusals(broker.uri()).ofConnection(e).getMessage();
    if (warned) {
      log.debug("still not connected: {}", why);
    } else {
      warned = true;
      log.warn("{}; trying until it works", why);
    }
  }
}
