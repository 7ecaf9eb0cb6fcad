package dev.semel;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * How often and when a parked message runs again. Immutable. Pauses grow exponentially and are
 * spread by a jitter, so that what failed together does not come back together.
 *
 * @param attempts failures after which the message is dead; see {@link Setting#RETRY_ATTEMPTS}
 * @param deaths processes that it may kill, running alone, before it is dead; see {@link
 *     Setting#RETRY_DEATHS}
 * @param firstPause pause after the first failure; see {@link Setting#RETRY_FIRST_PAUSE}
 * @param factor by which each pause is longer than the last; see {@link Setting#RETRY_FACTOR}
 * @param cap longest pause, before the jitter; see {@link Setting#RETRY_CAP}
 * @param jitter share of a pause by which it is spread, both ways; see {@link Setting#RETRY_JITTER}
 */
public record RetryPolicy(
    int attempts, int deaths, Duration firstPause, double factor, Duration cap, double jitter) {

  /**
   * Checks every value.
   *
   * @param attempts see the record
   * @param deaths see the record
   * @param firstPause see the record
   * @param factor see the record
   * @param cap see the record
   * @param jitter see the record
   * @throws ConfigurationException naming the first value that is out of its bounds
   */
  public RetryPolicy {
    Setting.RETRY_ATTEMPTS.checked(attempts);
    Setting.RETRY_DEATHS.checked(deaths);
    Setting.RETRY_FIRST_PAUSE.checked(firstPause);
    Setting.RETRY_FACTOR.checked(factor);
    Setting.RETRY_CAP.checked(cap);
    Setting.RETRY_JITTER.checked(jitter);
    if (cap.compareTo(firstPause) < 0) {
      throw new ConfigurationException(
          "retry cap is "
              + Setting.text(cap)
              + ", but must be at least the firstPause ("
              + Setting.text(firstPause)
              + ")");
    }
  }

  /**
   * The defaults: 10 attempts, 3 deaths, 1 s × 2 up to 10 min, ± 20 %; about 20 minutes in all.
   *
   * @return the policy
   */
  public static RetryPolicy defaults() {
    return builder().build();
  }

  /**
   * A policy to be filled in.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The pause before the next run.
   *
   * @param failures how often it has failed (or killed a process) so far, from 1
   * @param random spreads the pause
   * @return the pause, at least 1 ms
   */
  public Duration pause(int failures, RandomGenerator random) {
    double millis = firstPause.toMillis() * Math.pow(factor, Math.max(0, failures - 1));
    double capped = Math.min(millis, cap.toMillis());
    double spread = capped * (1 + jitter * (2 * random.nextDouble() - 1));
    return Duration.ofMillis(Math.max(1, Math.round(spread)));
  }

  /** Fills in a {@link RetryPolicy}. Not safe for use by several threads. */
  public static final class Builder {

    private int attempts = 10;
    private int deaths = 3;
    private Duration firstPause = Duration.ofSeconds(1);
    private double factor = 2;
    private Duration cap = Duration.ofMinutes(10);
    private double jitter = 0.2;

    private Builder() {}

    /**
     * Sets {@link Setting#RETRY_ATTEMPTS}.
     *
     * @param value failures after which a message is dead
     * @return this
     */
    public Builder attempts(int value) {
      this.attempts = value;
      return this;
    }

    /**
     * Sets {@link Setting#RETRY_DEATHS}.
     *
     * @param value deaths after which a message is dead
     * @return this
     */
    public Builder deaths(int value) {
      this.deaths = value;
      return this;
    }

    /**
     * Sets {@link Setting#RETRY_FIRST_PAUSE}.
     *
     * @param value pause after the first failure
     * @return this
     */
    public Builder firstPause(Duration value) {
      this.firstPause = Objects.requireNonNull(value, "firstPause");
      return this;
    }

    /**
     * Sets {@link Setting#RETRY_FACTOR}.
     *
     * @param value factor from one pause to the next
     * @return this
     */
    public Builder factor(double value) {
      this.factor = value;
      return this;
    }

    /**
     * Sets {@link Setting#RETRY_CAP}.
     *
     * @param value longest pause
     * @return this
     */
    public Builder cap(Duration value) {
      this.cap = Objects.requireNonNull(value, "cap");
      return this;
    }

    /**
     * Sets {@link Setting#RETRY_JITTER}.
     *
     * @param value share of a pause, from 0
     * @return this
     */
    public Builder jitter(double value) {
      this.jitter = value;
      return this;
    }

    /**
     * The policy.
     *
     * @return an immutable policy; the builder may go on being used
     * @throws ConfigurationException naming the first value that is out of its bounds
     */
    public RetryPolicy build() {
      return new RetryPolicy(attempts, deaths, firstPause, factor, cap, jitter);
    }
  }
}
