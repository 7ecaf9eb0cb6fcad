package dev.semel.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a lane holds for later, without a thread or a connection: copies of keys that are
 * in flight, failures that may not be the message's own, failed messages in their pause. What comes
 * after a held delivery of its ordering key is held behind it.
 *
 * <p>Used by the lane's thread, and by the heart, which gives back what has grown old.
 */
final class Pending {

  /** What happens when the time has come. */
  enum Then {
    RUN,
    GIVE_BACK,
    DECIDE
  }

  /** A message that is due at a time. */
  record Held(long due, Entry entry, Then then, @Nullable Throwable cause) {}

  /** Makes values of nanoTime comparable as numbers. */
  private static final long ORIGIN = System.nanoTime();

  private final PriorityQueue<Held> held =
      new PriorityQueue<>(Comparator.comparingLong(h -> h.due() - ORIGIN));

  /** By ordering key: those that wait behind a held one. */
  private final Map<String, Deque<Entry>> behind = new HashMap<>();

  /** How many of {@code held} have an ordering key. */
  private final Map<String, Integer> holding = new HashMap<>();

  private int inFlight;

  synchronized void hold(Duration pause, Entry entry, Then then, @Nullable Throwable cause) {
    // Within a key only the first has a time of its own; a row of parked_messages is the first.
    if (entry.lease == null && then == Then.RUN && !entry.holds && heldBehind(entry)) {
      return;
    }
    held.add(new Held(System.nanoTime() + pause.toNanos(), entry, then, cause));
    if (entry.orderingKey != null && entry.lease == null && !entry.holds) {
      holding.merge(entry.orderingKey, 1, Integer::sum);
      entry.holds = true;
    }
    inFlight += entry.inFlightSince != 0 ? 1 : 0;
  }

  /** Takes the entry if one of its ordering key is held. */
  synchronized boolean heldBehind(Entry entry) {
    if (entry.orderingKey == null || !holding.containsKey(entry.orderingKey)) {
      return false;
    }
    behind.computeIfAbsent(entry.orderingKey, k -> new ArrayDeque<>()).add(entry);
    return true;
  }

  /** Takes what is due to be run, at most {@code most} and those behind them. */
  synchronized List<Entry> dueToRun(int most) {
    List<Entry> entries = new ArrayList<>();
    for (Held next : due(Then.RUN, most)) {
      entries.add(next.entry());
      entries.addAll(released(next.entry()));
    }
    return entries;
  }

  /** Takes what is due to be given back; those behind run next. */
  synchronized List<Held> dueToGiveBack() {
    List<Held> due = due(Then.GIVE_BACK, Integer.MAX_VALUE);
    due.forEach(this::runThoseBehind);
    return due;
  }

  /**
   * Takes what is due to be decided; what is still open is held for another pause. Those behind
   * what is decided wait on, until {@link #carriedOut}.
   */
  synchronized List<Held> dueToDecide(Predicate<Entry> open, Duration pause) {
    List<Held> decided = new ArrayList<>();
    for (Held each : due(Then.DECIDE, Integer.MAX_VALUE)) {
      if (open.test(each.entry())) {
        hold(pause, each.entry(), Then.DECIDE, each.cause());
      } else {
        decided.add(each);
      }
    }
    return decided;
  }

  /** What was decided has been done: those behind it run, unless it is held again. */
  synchronized void carriedOut(Entry entry) {
    if (entry.holds && held.stream().noneMatch(h -> h.entry() == entry)) {
      noLongerHolds(entry);
      for (Entry next : released(entry)) {
        hold(Duration.ZERO, next, Then.RUN, null);
      }
    }
  }

  /** Drops deliveries whose channel has closed: they come again. */
  synchronized void dropDead() {
    List<Held> dead = held.stream().filter(h -> !h.entry().live()).toList();
    held.removeAll(dead);
    for (Held each : dead) {
      left(each);
      runThoseBehind(each);
    }
  }

  private void runThoseBehind(Held each) {
    for (Entry next : released(each.entry())) {
      hold(Duration.ZERO, next, Then.RUN, null);
    }
  }

  private List<Held> due(Then then, int most) {
    long now = System.nanoTime();
    List<Held> found = new ArrayList<>();
    List<Held> others = new ArrayList<>();
    while (!held.isEmpty() && held.peek().due() - now <= 0 && found.size() < most) {
      Held next = held.poll();
      if (next.then() == then) {
        found.add(next);
        left(next);
      } else {
        others.add(next);
      }
    }
    held.addAll(others);
    return found;
  }

  private void left(Held each) {
    Entry entry = each.entry();
    if (each.then() != Then.DECIDE || !entry.live()) {
      noLongerHolds(entry);
    }
    inFlight -= entry.inFlightSince != 0 ? 1 : 0;
  }

  private void noLongerHolds(Entry entry) {
    if (entry.holds) {
      entry.holds = false;
      holding.computeIfPresent(entry.orderingKey, (k, n) -> n == 1 ? null : n - 1);
    }
  }

  /** Those behind an entry that is held no more, unless another one of its key is. */
  private List<Entry> released(Entry entry) {
    if (entry.orderingKey == null || holding.containsKey(entry.orderingKey)) {
      return List.of();
    }
    Deque<Entry> next = behind.remove(entry.orderingKey);
    return next == null ? List.of() : List.copyOf(next);
  }

  /** How long until something is due, at most {@code most}. */
  synchronized long nanosToNext(long most) {
    return held.isEmpty()
        ? most
        : Math.max(0, Math.min(most, held.peek().due() - System.nanoTime()));
  }

  /** Copies of keys in flight. */
  synchronized int inFlight() {
    return inFlight;
  }

  synchronized boolean isEmpty() {
    return held.isEmpty();
  }

  /** Whether a delivery is held that was received before a time. */
  synchronized boolean hasOlderThan(long receivedBefore) {
    return held.stream()
            .map(Held::entry)
            .anyMatch(e -> e.lease == null && e.receivedNanos - receivedBefore < 0)
        || behind.values().stream()
            .flatMap(Deque::stream)
            .anyMatch(e -> e.receivedNanos - receivedBefore < 0);
  }

  /** Takes deliveries out that were received before a time, those behind them included. */
  synchronized List<Entry> takeOlderThan(long receivedBefore) {
    List<Entry> old = new ArrayList<>();
    List<Held> kept = new ArrayList<>();
    for (Held each : List.copyOf(held)) {
      Entry entry = each.entry();
      if (entry.lease == null && entry.receivedNanos - receivedBefore < 0) {
        noLongerHolds(entry);
        left(each);
        old.add(entry);
      } else {
        kept.add(each);
      }
    }
    held.clear();
    held.addAll(kept);
    List.copyOf(old).forEach(e -> old.addAll(released(e)));
    return old;
  }

  /** Rows of parked_messages that are held. */
  synchronized List<Entry> rows() {
    return held.stream().map(Held::entry).filter(e -> e.lease != null).toList();
  }

  /** Takes all deliveries, in no order. */
  synchronized List<Entry> takeAllDeliveries() {
    List<Entry> all = new ArrayList<>();
    List<Held> rows = new ArrayList<>();
    held.forEach(
        h -> {
          if (h.entry().lease == null) {
            all.add(h.entry());
          } else {
            rows.add(h);
          }
        });
    behind.values().forEach(all::addAll);
    all.forEach(e -> e.holds = false);
    held.clear();
    behind.clear();
    holding.clear();
    inFlight = 0;
    held.addAll(rows);
    return all;
  }
}
