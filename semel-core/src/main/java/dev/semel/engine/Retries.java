package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.PermanentFailure;
import dev.semel.RetryPolicy;
import dev.semel.engine.ParkedMessages.Parking;
import dev.semel.engine.ParkedMessages.Released;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What becomes of a message after a failure or a death, by its consumer's policy. */
final class Retries {

  private final Consumer consumer;
  private final RetryPolicy policy;
  private final RandomGenerator random;

  Retries(Consumer consumer, RandomGenerator random) {
    this.consumer = consumer;
    this.policy = consumer.retry();
    this.random = random;
  }

  /** A delivery failed for the first time. */
  Parking afterDelivery(Throwable cause) {
    boolean permanent = consumer.isPermanent(cause);
    boolean dead = permanent || policy.attempts() <= 1;
    return Parking.failed(reason(cause, permanent), dead, policy.pause(1, random));
  }

  /** A run from the table failed; its attempt is counted in the lease. */
  Released afterRun(ParkedMessages.Lease lease, Throwable cause) {
    boolean permanent = consumer.isPermanent(cause);
    return new Released(
        permanent || lease.attempts() >= policy.attempts(),
        reason(cause, permanent),
        lease.attempts(),
        lease.deaths(),
        // It came back from its run, so it may run beside others from now on.
        false,
        policy.pause(lease.attempts(), random));
  }

  /** A run has done what no further run can mend. */
  static Released dead(ParkedMessages.Lease lease, String reason) {
    return new Released(
        true, reason, lease.attempts(), lease.deaths(), lease.alone(), Duration.ZERO);
  }

  /**
   * A lease ran out. If its worker is gone too, the process may have died of this message: it runs
   * alone from now on, and only if it was alone already is the death its own.
   */
  Released afterLease(ParkedMessages.Expired lease) {
    int attempts = lease.attempts() - 1;
    if (!lease.died()) {
      return new Released(
          false, Reasons.LEASE_OVER, attempts, lease.deaths(), lease.alone(), Duration.ZERO);
    }
    if (!lease.alone()) {
      return new Released(false, Reasons.RUN_DIED, attempts, lease.deaths(), true, Duration.ZERO);
    }
    int deaths = lease.deaths() + 1;
    boolean dead = deaths >= policy.deaths();
    return new Released(
        dead,
        dead ? Reasons.KILLS : Reasons.RUN_DIED,
        attempts,
        deaths,
        true,
        policy.pause(deaths, random));
  }

  private static String reason(Throwable cause, boolean permanent) {
    if (cause instanceof PermanentFailure) {
      return Reasons.PERMANENT + ": " + cause.getMessage();
    }
    return permanent ? Reasons.PERMANENT + ": " + cause.getClass().getName() : Reasons.FAILED;
  }
}
