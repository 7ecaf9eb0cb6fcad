package dev.semel.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Deliveries that a lane holds for later, without a thread: copies of keys that are in flight, and
 * failed messages in their pause. Used by the lane's thread only.
 */
final class Pending {

  /** A delivery that is due at a time; to be run, or to be given back to the broker. */
  private record Held(long due, Entry entry, boolean giveBack) {}

  private final PriorityQueue<Held> held =
      new PriorityQueue<>(Comparator.comparingLong(h -> h.due() - ORIGIN));

  /** Makes values of nanoTime comparable as numbers. */
  private static final long ORIGIN = System.nanoTime();

  void runAfter(Duration pause, Entry entry) {
    held.add(new Held(System.nanoTime() + pause.toNanos(), entry, false));
  }

  void giveBackAfter(Duration pause, Entry entry) {
    held.add(new Held(System.nanoTime() + pause.toNanos(), entry, true));
  }

  /** Takes what is due to be run, at most {@code most}. */
  List<Entry> dueToRun(int most) {
    return due(false, most);
  }

  /** Takes what is due to be given back. */
  List<Entry> dueToGiveBack() {
    return due(true, Integer.MAX_VALUE);
  }

  private List<Entry> due(boolean giveBack, int most) {
    long now = System.nanoTime();
    List<Entry> entries = new ArrayList<>();
    List<Held> others = new ArrayList<>();
    while (!held.isEmpty() && held.peek().due() - now <= 0 && entries.size() < most) {
      Held next = held.poll();
      if (next.giveBack() == giveBack) {
        entries.add(next.entry());
      } else {
        others.add(next);
      }
    }
    held.addAll(others);
    return entries;
  }

  /** How long until something is due, at most {@code most}. */
  long nanosToNext(long most) {
    return held.isEmpty()
        ? most
        : Math.max(0, Math.min(most, held.peek().due() - System.nanoTime()));
  }

  List<Entry> takeAll() {
    List<Entry> all = held.stream().map(Held::entry).toList();
    held.clear();
    return all;
  }
}
