package dev.semel.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often keys have failed in this process, for the pauses of {@code REQUEUE}. Bounded: the keys
 * that failed longest ago are forgotten first, which only shortens a pause.
 */
final class Failures {

  private static final int REMEMBERED = 10_000;
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Duration first;
  private final Map<String, Integer> counts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > REMEMBERED;
        }
      };

  Failures(Duration first) {
    this.first = first;
  }

  synchronized int count(String key) {
    return counts.merge(key, 1, Integer::sum);
  }

  synchronized int of(String key) {
    return counts.getOrDefault(key, 0);
  }

  synchronized void forget(String key) {
    counts.remove(key);
  }

  Duration pause(int failures) {
    int doublings = Math.min(failures - 1, 16);
    Duration pause = first.multipliedBy(1L << doublings);
    return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
  }
}
