package dev.semel.worker.demo;

/**
 * What is played.
 *
 * @param messages payments that are published once or twice
 * @param kills how often each worker is killed
 * @param seed what all that is random comes from
 * @param oneAtATime whether Semel takes one message at a time and logs each step
 */
public record Plan(int messages, int kills, long seed, boolean oneAtATime) {

  /** Fewest kills: one inside a handler, one between commit and acknowledgement. */
  public static final int FEWEST_KILLS = 2;

  /** Fewest messages for each life of a worker. */
  public static final int MESSAGES_PER_LIFE = 10;

  /**
   * Checks the numbers.
   *
   * @param messages see the record
   * @param kills see the record
   * @param seed see the record
   * @param oneAtATime see the record
   * @throws DemoException if there are too few messages or kills to show anything
   */
  public Plan {
    if (kills < FEWEST_KILLS) {
      throw new DemoException("--kills is " + kills + ", but must be at least " + FEWEST_KILLS);
    }
    long fewest = (long) MESSAGES_PER_LIFE * (kills + 1);
    if (messages < fewest) {
      throw new DemoException(
          "--messages is "
              + messages
              + ", but must be at least "
              + fewest
              + " for "
              + kills
              + " kills, so that each of them finds work in hand");
    }
  }

  int messagesPerLife() {
    return messages / (kills + 1);
  }
}
