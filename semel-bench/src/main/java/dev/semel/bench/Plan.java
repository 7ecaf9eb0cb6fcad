package dev.semel.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured.
 *
 * @param messages messages in each queue
 * @param rounds how often each contender runs
 * @param amqpUri the broker; null to start the distribution's RabbitMQ
 * @param only the contenders that run; goals between others are not judged
 */
public record Plan(int messages, int rounds, @Nullable String amqpUri, List<Contender> only) {

  /** What the goals are meant for. */
  public static final int MESSAGES = 50_000;

  /** Enough for a median. */
  public static final int ROUNDS = 3;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException naming the option that cannot work
   */
  public Plan {
    if (messages < 1 || messages > 10_000_000) {
      throw new IllegalArgumentException("--messages must be from 1 to 10000000");
    }
    if (rounds < 1 || rounds > 1_000) {
      throw new IllegalArgumentException("--rounds must be from 1 to 1000");
    }
    only = List.copyOf(only);
  }
}
