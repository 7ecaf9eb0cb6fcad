package dev.semel.checker;

import java.util.List;

/** All that is known of one key, as far as it concerns the consumer that is judged. */
record KeyFacts(
    String key, List<Recorded> events, int effects, int parked, int queued, boolean perhaps) {

  int count(Event event) {
    return (int) events.stream().filter(recorded -> recorded.event() == event).count();
  }

  int published() {
    return count(Event.PUBLISHED);
  }

  int applied() {
    return Math.min(effects, 1);
  }

  boolean isLost() {
    return published() > 0 && !perhaps && effects == 0 && parked == 0 && queued == 0;
  }

  boolean isInvented() {
    return published() == 0 && !perhaps && effects > 0;
  }
}
