package dev.semel.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What it costs that every message may have been in a run that killed a process. */
final class RedeliveryBench {

  static final int MESSAGES = 200_000;

  static final Contender CLEAN =
      new Contender("clean", "Semel, Handler, defaults; first deliveries", Way.SEMEL, Scene.PLAIN);
  static final Contender FLAGGED =
      new Contender(
          "flagged", "Semel, Handler, defaults; all redelivered", Way.SEMEL, new Scene(true, 0));

  static final List<Goal> GOALS = List.of(new Goal(FLAGGED, CLEAN, 0.5));

  private RedeliveryBench() {}

  /**
   * A plan.
   *
   * @throws IllegalArgumentException naming the option that cannot work
   */
  static Plan plan(int messages, int rounds, @Nullable String amqpUri) {
    return new Plan(messages, rounds, amqpUri, List.of(CLEAN, FLAGGED), GOALS);
  }
}
