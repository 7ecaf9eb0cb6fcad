package dev.semel.worker.demo;

import dev.semel.checker.Tally;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the audit of the events found.
 *
 * @param written rows of effects, each of which was committed together with one event
 * @param delivered distinct message-ids that arrived
 * @param copies arrivals beyond those: the same event once more
 * @param lost payments with an effect of which no event arrived
 * @param inventedOrDoubledIds events of payments without an effect, payments of which events with
 *     different ids arrived, and ids under which different events arrived
 * @param relayKills how often a relay was killed with events in hand
 */
record OutboxScore(
    long written, int delivered, int copies, int lost, int inventedOrDoubledIds, int relayKills) {

  /** Of those that send no events. */
  static final OutboxScore NONE = new OutboxScore(0, 0, 0, 0, 0, 0);

  static OutboxScore of(Tally effects, List<Arrival> arrivals, int relayKills) {
    Map<String, Set<String>> idsOfPayment = new HashMap<>();
    Map<String, Set<Arrival>> eventsOfId = new HashMap<>();
    for (Arrival each : arrivals) {
      eventsOfId.computeIfAbsent(each.id(), id -> new HashSet<>()).add(each);
      idsOfPayment
          .computeIfAbsent(Confirmation.payment(each), payment -> new HashSet<>())
          .add(each.id());
    }
    int wrong = (int) eventsOfId.values().stream().filter(events -> events.size() > 1).count();
    for (Map.Entry<String, Set<String>> each : idsOfPayment.entrySet()) {
      int ids = each.getValue().size();
      if (effects.count(each.getKey()) == 0) {
        wrong += ids;
      } else if (ids > 1) {
        wrong++;
      }
    }
    return new OutboxScore(
        effects.total(),
        eventsOfId.size(),
        arrivals.size() - eventsOfId.size(),
        (int) effects.keys().stream().filter(each -> !idsOfPayment.containsKey(each)).count(),
        wrong,
        relayKills);
  }
}
