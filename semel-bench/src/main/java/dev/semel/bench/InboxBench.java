package dev.semel.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How fast messages become effects: hand-written loops and Semel. */
final class InboxBench {

  static final int MESSAGES = 50_000;

  static final Contender A =
      contender("a", "hand-written, 1 message a transaction, 1 thread", Way.ONE_BY_ONE);
  static final Contender B =
      contender("b", "the same, 8 threads, prefetch 250", Way.ONE_BY_ONE_WIDE);
  static final Contender C = contender("c", "hand-tuned batches of " + Way.BATCH, Way.HAND_TUNED);
  static final Contender D = contender("d", "Semel, Handler, defaults", Way.SEMEL);
  static final Contender E =
      contender("e", "Semel, BatchHandler, batch " + Way.BATCH, Way.SEMEL_BATCHES);

  static final List<Contender> ALL = List.of(A, B, C, D, E);

  static final List<Goal> GOALS = List.of(new Goal(D, B, 2.5), new Goal(E, C, 0.7));

  private InboxBench() {}

  private static Contender contender(String letter, String title, Way way) {
    return new Contender(letter, title, way, Scene.PLAIN);
  }

  /**
   * A plan.
   *
   * @param only letters of the contenders that run, each at most once
   * @throws IllegalArgumentException naming the option that cannot work
   */
  static Plan plan(int messages, int rounds, @Nullable String amqpUri, String only) {
    return new Plan(messages, rounds, amqpUri, contenders(only), GOALS);
  }

  private static List<Contender> contenders(String letters) {
    List<Contender> chosen = ALL.stream().filter(c -> letters.contains(c.name())).toList();
    if (chosen.isEmpty() || chosen.size() != letters.length()) {
      throw new IllegalArgumentException("--only takes letters from a to e, each at most once");
    }
    return chosen;
  }
}
