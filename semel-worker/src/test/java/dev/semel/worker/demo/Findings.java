package dev.semel.worker.demo;

import dev.semel.checker.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Results of demos in which everything was as it should be, but for the events that arrived. */
public final class Findings {

  private static final int PAYMENTS = 30;

  private Findings() {}

  /** All events arrived once, after so many kills of relays. */
  public static DemoResult good(int relayKills) {
    return result(events(PAYMENTS), relayKills);
  }

  /** The event of one payment is missing. */
  public static DemoResult lostEvent() {
    return result(events(PAYMENTS - 1), 2);
  }

  /** An event of a payment arrived that has no effect. */
  public static DemoResult inventedEvent() {
    return result(events(PAYMENTS + 1), 2);
  }

  private static List<Arrival> events(int number) {
    List<Arrival> events = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      events.add(new Arrival("id-" + i, Confirmation.TYPE, Confirmation.body("payment-" + i)));
    }
    return events;
  }

  private static DemoResult result(List<Arrival> events, int relayKills) {
    List<String> payments = new ArrayList<>();
    for (int i = 0; i < PAYMENTS; i++) {
      payments.add("payment-" + i);
    }
    OutboxScore outbox = OutboxScore.of(Tally.of(payments), events, relayKills);
    return new DemoResult(
        new Plan(PAYMENTS, 2, 1, false),
        PAYMENTS + 1,
        Map.of(
            Contender.ACK_FIRST,
            new Score(31, 29, 0, 0, 1, 0, List.of(), OutboxScore.NONE),
            Contender.NAIVE,
            new Score(32, 31, 1, 0, 0, 0, List.of(), OutboxScore.NONE),
            Contender.SEMEL,
            new Score(33, PAYMENTS, 0, 0, 0, 1, List.of(), outbox)),
        System.nanoTime());
  }
}
