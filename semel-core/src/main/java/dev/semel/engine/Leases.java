package dev.semel.engine;

import dev.semel.Settings;
import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards that this relay may read: takes its share, renews it, gives back what is too much once
 * nothing of it is on its way; and hears on the same connection that there is something to read.
 * One thread, which survives anything.
 *
 * <p>A lease is the database's business. Here it only ends sooner: half of its time after the last
 * renewal was <em>asked</em> for, by the clock that says more, nothing of it is sent any more. So a
 * process that was frozen, or a machine whose clock stood, stops before anybody else begins.
 */
final class Leases implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  /** So often within a lease it is renewed. */
  private static final int RENEWALS = 5;

  private static final int LONGEST_LISTEN_MILLIS = 500;

  private final Database database;
  private final RelayShards shards;
  private final OutboxMessages outbox;
  private final ProcessedMessages transactions;
  private final Timeouts timeouts;
  private final UUID relay;
  private final Duration lease;
  private final Probe probe;
  private final Telling telling;
  private final SessionHolder session;
  private final Semaphore signals = new Semaphore(0);
  private final List<Runnable> readers = new ArrayList<>();
  private IntPredicate onTheirWay = shard -> false;
  private volatile Held held = new Held(Set.of(), Set.of(), System.nanoTime(), now());
  private volatile boolean stopping;
  private @Nullable Ear ear;
  private long renewedAt;
  private long leavingSince;

  /**
   * What is held.
   *
   * @param reading shards that may be read
   * @param leaving shards of which nothing new is read; what is on its way may go out
   * @param askedNanos when the last renewal was asked for
   * @param askedMillis the same by the wall clock
   */
  private record Held(
      Set<Integer> reading, Set<Integer> leaving, long askedNanos, long askedMillis) {}

  Leases(
      Settings settings,
      Tables tables,
      Database database,
      UUID relay,
      Probe probe,
      Telling telling) {
    this.database = database;
    this.shards = tables.shards();
    this.outbox = tables.outbox();
    this.transactions = tables.processed();
    this.timeouts = Timeouts.of(settings);
    this.relay = relay;
    this.lease = settings.relayLease();
    this.probe = probe;
    this.telling = telling;
    this.session = new SessionHolder(database::open);
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  /** Before the thread starts: who is told that there may be something to read. */
  void readBy(List<Runnable> told, IntPredicate anyOnItsWay) {
    readers.addAll(told);
    onTheirWay = anyOnItsWay;
  }

  /** Shards that may be read at this moment. */
  Set<Integer> reading() {
    Held now = held;
    return fresh(now) ? now.reading() : Set.of();
  }

  /** Whether rows of a shard may be sent at this moment. */
  boolean maySend(int shard) {
    Held now = held;
    return (now.reading().contains(shard) || now.leaving().contains(shard)) && fresh(now);
  }

  private boolean fresh(Held now) {
    long half = lease.toMillis() / 2;
    return System.nanoTime() - now.askedNanos() < TimeUnit.MILLISECONDS.toNanos(half)
        && now() - now.askedMillis() < half;
  }

  boolean all() {
    return held.reading().size() == RelayShards.COUNT;
  }

  @Override
  public void run() {
    while (!stopping) {
      try {
        round();
      } catch (InterruptedException e) {
        LOG.debug("interrupted while holding shards of the outbox");
      } catch (SQLException e) {
        LOG.debug("shards of the outbox could not be renewed", e);
        broken(e);
      } catch (Throwable t) {
        LOG.error("shards of the outbox could not be seen to; going on", t);
        broken(t);
      }
    }
  }

  private void broken(Throwable t) {
    ear = null;
    session.discard();
    try {
      database.works(session, System.nanoTime());
      database.awaitBack(() -> stopping);
      signals.tryAcquire(200, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      LOG.debug("interrupted after a failure", t);
    }
  }

  private void round() throws SQLException, InterruptedException {
    long every = lease.toNanos() / RENEWALS;
    long left = renewedAt == 0 ? 0 : every - (System.nanoTime() - renewedAt);
    if (!held.leaving().isEmpty()) {
      left = Math.min(left, TimeUnit.MILLISECONDS.toNanos(20));
      letGo();
    }
    if (left <= 0) {
      renew();
      return;
    }
    listen(left);
  }

  private void listen(long nanos) throws SQLException, InterruptedException {
    int millis =
        (int) Math.max(1, Math.min(LONGEST_LISTEN_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos)));
    if (ear == null) {
      ear = Ear.on(session.get().connection(), outbox.channel());
    }
    if (!ear.hears()) {
      signals.tryAcquire(millis, TimeUnit.MILLISECONDS);
    } else if (ear.heard(millis)) {
      readers.forEach(Runnable::run);
    }
  }

  private void renew() throws SQLException {
    long askedNanos = System.nanoTime();
    long askedMillis = now();
    Connection connection = session.get().connection();
    transactions.begin(connection, timeouts);
    List<Integer> mine = shards.renew(connection, relay, lease);
    int share = shards.share(connection);
    List<Integer> taken = List.of();
    if (mine.size() < share && !stopping) {
      taken = shards.take(connection, relay, lease, share - mine.size());
    }
    connection.commit();
    Set<Integer> leaving = new HashSet<>(held.leaving());
    leaving.retainAll(mine);
    Set<Integer> reading = new HashSet<>(mine);
    reading.addAll(taken);
    reading.removeAll(leaving);
    for (int shard : List.copyOf(reading)) {
      if (reading.size() > share) {
        reading.remove(shard);
        leaving.add(shard);
        leavingSince = System.nanoTime();
      }
    }
    boolean more = !held.reading().containsAll(reading);
    held = new Held(Set.copyOf(reading), Set.copyOf(leaving), askedNanos, askedMillis);
    renewedAt = askedNanos;
    telling.tell(l -> l.succeeded("relay leases"));
    if (more) {
      probe.reached(Step.LEASED);
      readers.forEach(Runnable::run);
    }
  }

  /** Gives back shards of which nothing is on its way any more, or that take too long for that. */
  private void letGo() throws SQLException {
    Held now = held;
    boolean tooLong = System.nanoTime() - leavingSince > lease.toNanos();
    List<Integer> free =
        now.leaving().stream().filter(s -> tooLong || !onTheirWay.test(s)).toList();
    if (free.isEmpty()) {
      return;
    }
    Connection connection = session.get().connection();
    transactions.begin(connection, timeouts);
    shards.giveBack(connection, relay, free);
    connection.commit();
    Set<Integer> leaving = new HashSet<>(now.leaving());
    leaving.removeAll(free);
    held = new Held(now.reading(), Set.copyOf(leaving), now.askedNanos(), now.askedMillis());
  }

  /** Ends the thread's work; to be followed by its end, and by {@link #giveUp}. */
  void stop() {
    stopping = true;
    signals.release();
  }

  /** When nothing is on its way any more: everything goes back, as far as the database answers. */
  void giveUp() {
    Set<Integer> all = new HashSet<>(held.reading());
    all.addAll(held.leaving());
    held = new Held(Set.of(), Set.of(), held.askedNanos(), held.askedMillis());
    try {
      if (!database.away()) {
        Connection connection = session.get().connection();
        if (ear != null) {
          ear.close();
        }
        transactions.begin(connection, timeouts);
        shards.giveBack(connection, relay, all);
        shards.end(connection, relay);
        connection.commit();
      }
    } catch (SQLException | RuntimeException e) {
      LOG.debug("shards of the outbox were not given back; their leases run out", e);
      session.discard();
    } finally {
      session.release();
    }
  }
}
