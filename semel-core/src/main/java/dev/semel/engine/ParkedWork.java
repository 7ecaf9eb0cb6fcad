package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Listener.Outage;
import dev.semel.engine.ParkedMessages.Expired;
import dev.semel.engine.ParkedMessages.Holder;
import dev.semel.engine.ParkedMessages.Released;
import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The careful path of one consumer in this process: which parked rows are due, leased by whichever
 * lane has time. Lanes look every second, or when something is known to be due.
 */
final class ParkedWork {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * From the lease to the row lock; from there on the row lock holds, however long the run takes.
   */
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final Consumer consumer;
  private final UUID worker;
  private final Tables tables;
  private final DeadLetters deadLetters;
  private final Timeouts timeouts;
  private final Retries retries;
  private final BatchSize batchSize;
  private final Outages outages;
  private final Telling telling;
  private final Probe probe;
  private final Solitude solitude;

  private final AtomicLong nextLook = new AtomicLong(System.nanoTime());
  private final AtomicLong nextState = new AtomicLong(System.nanoTime());
  private final AtomicBoolean failedFirst = new AtomicBoolean();

  /** As last counted, and those parked here since. */
  private final AtomicLong waiting = new AtomicLong();

  private volatile boolean overLimit;

  ParkedWork(
      Consumer consumer,
      UUID worker,
      Tables tables,
      Timeouts timeouts,
      Retries retries,
      BatchSize batchSize,
      Outages outages,
      Telling telling,
      Probe probe,
      Solitude solitude) {
    this.consumer = consumer;
    this.worker = worker;
    this.tables = tables;
    this.deadLetters = new DeadLetters(tables, consumer);
    this.timeouts = timeouts;
    this.retries = retries;
    this.batchSize = batchSize;
    this.outages = outages;
    this.telling = telling;
    this.probe = probe;
    this.solitude = solitude;
  }

  /** Whether a lane should look now. */
  boolean due() {
    return nanosToLook() == 0 && !solitude.requested();
  }

  long nanosToLook() {
    return Math.max(0, nextLook.get() - System.nanoTime());
  }

  /** A message was parked that will be due after its pause. */
  void parked(Duration pause) {
    expect(pause);
    if (waiting.incrementAndGet() > consumer.parkedLimit()) {
      overLimit(true);
    }
  }

  private void expect(Duration pause) {
    long at = System.nanoTime() + pause.toNanos();
    nextLook.accumulateAndGet(at, (a, b) -> a - b < 0 ? a : b);
  }

  /** Whether so many rows wait that nothing new should be taken. */
  boolean overLimit() {
    return overLimit;
  }

  boolean aloneRequested() {
    return solitude.requested();
  }

  /** A message has become dead. */
  void died(@Nullable String key, @Nullable String orderingKey, String reason) {
    LOG.warn(
        "consumer '{}': message {} is dead: {}{}",
        consumer.name(),
        key == null ? "(no usable id)" : key,
        reason,
        orderingKey == null ? "" : "; later ones of ordering key " + orderingKey + " go on");
    telling.tell(l -> l.died(consumer.name(), key, reason));
  }

  /**
   * Leases what is due, in a transaction of its own.
   *
   * @param single at most one row
   * @return rows that the lane runs now; empty if nothing is due
   */
  List<Entry> look(Connection connection, boolean single) throws SQLException {
    nextLook.set(System.nanoTime() + LOOK_NANOS);
    List<Entry> leased = look(connection, false, single ? 1 : batchSize.now());
    if (!leased.isEmpty()) {
      nextLook.set(System.nanoTime());
    }
    return leased;
  }

  /** The same for rows that run alone. */
  List<Entry> lookForAlone(Connection connection) throws SQLException {
    return look(connection, true, 1);
  }

  private List<Entry> look(Connection connection, boolean alone, int most) throws SQLException {
    ParkedMessages parked = tables.parked();
    tables.processed().begin(connection, timeouts);
    List<Expired> dead = endLeases(connection);
    Holder holder = new Holder(UUID.randomUUID(), worker, LEASE);
    List<Entry> leased = new ArrayList<>();
    if (consumer.orderingKey() != null) {
      leased.addAll(parked.leaseHead(connection, consumer, holder, alone, most));
    }
    if (leased.isEmpty()) {
      leased.addAll(leaseUnordered(connection, holder, alone, most));
    }
    ParkedMessages.State state = alone ? null : stateIfDue(connection);
    connection.commit();
    dead.forEach(d -> died(d.key(), null, Reasons.KILLS));
    if (state != null) {
      heed(state);
    }
    if (!leased.isEmpty()) {
      probe.reached(Step.ATTEMPT_COUNTED);
    }
    return leased;
  }

  /** Those that never failed in a batch, those that have one by one, in turn. */
  private List<Entry> leaseUnordered(Connection connection, Holder holder, boolean alone, int most)
      throws SQLException {
    boolean fresh = !failedFirst.get();
    failedFirst.set(fresh);
    for (int i = 0; i < 2; i++) {
      List<Entry> leased =
          tables.parked().lease(connection, consumer, holder, alone, fresh, fresh ? most : 1);
      if (!leased.isEmpty()) {
        return leased;
      }
      fresh = !fresh;
    }
    return List.of();
  }

  /** Leases that ran out; gives those that are dead now. */
  private List<Expired> endLeases(Connection connection) throws SQLException {
    List<Expired> dead = new ArrayList<>();
    for (Expired lease : tables.parked().expired(connection, consumer.name())) {
      Released to = retries.afterLease(lease);
      deadLetters.release(connection, lease.id(), lease.token(), to, null, null);
      if (to.dead()) {
        dead.add(lease);
      } else {
        LOG.info("consumer '{}': message {} {}", consumer.name(), lease.key(), to.reason());
      }
    }
    return dead;
  }

  private ParkedMessages.@Nullable State stateIfDue(Connection connection) throws SQLException {
    long now = System.nanoTime();
    long at = nextState.get();
    if (now - at < 0 || !nextState.compareAndSet(at, now + LOOK_NANOS)) {
      return null;
    }
    return tables.parked().state(connection, consumer.name(), consumer.parkedLimit() + 1);
  }

  private void heed(ParkedMessages.State state) {
    waiting.set(state.waiting());
    overLimit(state.waiting() > (overLimit ? consumer.parkedLimit() / 2 : consumer.parkedLimit()));
    if (state.aloneDue()) {
      solitude.request();
    }
    if (state.nextDue() != null) {
      expect(state.nextDue());
    }
  }

  private synchronized void overLimit(boolean over) {
    if (over == overLimit) {
      return;
    }
    overLimit = over;
    if (over) {
      outages.began(
          Outage.Kind.PARKED_LIMIT,
          consumer.name(),
          "more than " + consumer.parkedLimit() + " parked messages wait; nothing new is taken");
    } else {
      outages.ended(Outage.Kind.PARKED_LIMIT, consumer.name());
    }
  }
}
