package dev.semel.checker;

import java.util.Map;

/** What the recorders saw of the consumer. */
record Activity(Map<Event, Integer> counts, Tally entered, long entriesWithoutEffect) {

  int count(Event event) {
    return counts.getOrDefault(event, 0);
  }
}
