package dev.semel.bench;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What parked messages cost those that are not. */
final class ParkedBench {

  static final int MESSAGES = 50_000;
  static final int PARKED = 100_000;

  static final double GOAL = 0.8;

  private ParkedBench() {}

  /**
   * A plan.
   *
   * @param parked rows that the second contender finds parked
   * @throws IllegalArgumentException naming the option that cannot work
   */
  static Plan plan(int messages, int parked, int rounds, @Nullable String amqpUri) {
    Plan.within("--parked", parked, 10_000_000);
    Contender without = contender("none", "nothing", Scene.PLAIN);
    Contender with =
        contender("parked", String.format(Locale.ROOT, "%,d", parked), new Scene(false, parked));
    return new Plan(
        messages, rounds, amqpUri, List.of(without, with), List.of(new Goal(with, without, GOAL)));
  }

  private static Contender contender(String name, String what, Scene scene) {
    String title = "Semel, Handler, defaults; " + what + " parked";
    return new Contender(name, title, Way.SEMEL_WITHOUT_PARKED_LIMIT, scene);
  }
}
