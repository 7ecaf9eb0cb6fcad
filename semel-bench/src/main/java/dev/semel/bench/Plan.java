package dev.semel.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured.
 *
 * @param messages messages in each queue
 * @param rounds how often each contender runs
 * @param amqpUri the broker; null to start the distribution's RabbitMQ
 * @param contenders those that run, in this order
 * @param goals of them and perhaps of others; only those between contenders that run are judged
 */
record Plan(
    int messages,
    int rounds,
    @Nullable String amqpUri,
    List<Contender> contenders,
    List<Goal> goals) {

  /** Enough for a median. */
  static final int ROUNDS = 3;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException naming the option that cannot work
   */
  Plan {
    within("--messages", messages, 10_000_000);
    within("--rounds", rounds, 1_000);
    contenders = List.copyOf(contenders);
    goals = List.copyOf(goals);
  }

  /**
   * Checks a number.
   *
   * @throws IllegalArgumentException naming the option, if it is not from 1 to the limit
   */
  static void within(String option, int value, int limit) {
    if (value < 1 || value > limit) {
      throw new IllegalArgumentException(option + " must be from 1 to " + limit);
    }
  }
}
