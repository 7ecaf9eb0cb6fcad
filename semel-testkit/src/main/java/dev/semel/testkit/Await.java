package dev.semel.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waiting for a state instead of sleeping: polls every 10 ms until the condition holds or the
 * deadline has passed.
 */
public final class Await {

  private static final long PAUSE_MILLIS = 10;

  private Await() {}

  /** Something that becomes true some time; a throw counts as "not yet". */
  @FunctionalInterface
  public interface Condition {

    /**
     * Tells whether the awaited state has been reached.
     *
     * @return true to end the wait
     * @throws Exception "not yet"; the last one becomes the cause of the failure
     */
    boolean holds() throws Exception;
  }

  /**
   * Returns once the condition holds. It is checked at least once, also with a zero deadline.
   *
   * @param what completes the sentence "waited in vain for: ..."
   * @param deadline how long to wait at most
   * @param condition may throw, exceptions and assertion errors alike, to say "not yet"
   * @throws AssertionError when the deadline passes first; its cause is what the condition threw
   *     last
   * @throws IllegalStateException when the waiting thread is interrupted; the interrupt flag is set
   *     again
   */
  public static void until(String what, Duration deadline, Condition condition) {
    value(what, deadline, condition::holds, held -> held);
  }

  /**
   * Returns the first non-null value.
   *
   * @param <T> type of the value
   * @param what completes the sentence "waited in vain for: ..."
   * @param deadline how long to wait at most
   * @param source asked again and again; null or a throw says "not yet"
   * @return the value
   * @throws AssertionError when the deadline passes first
   */
  public static <T> T value(
      String what, Duration deadline, Callable<? extends @Nullable T> source) {
    return value(what, deadline, source, any -> true);
  }

  /**
   * Returns the first non-null value that is accepted.
   *
   * @param <T> type of the value
   * @param what completes the sentence "waited in vain for: ..."
   * @param deadline how long to wait at most
   * @param source asked again and again; null or a throw says "not yet"
   * @param accepted judges the value
   * @return the accepted value
   * @throws AssertionError when the deadline passes first; the message holds the last value seen
   */
  public static <T> T value(
      String what,
      Duration deadline,
      Callable<? extends @Nullable T> source,
      Predicate<? super T> accepted) {
    long start = System.nanoTime();
    while (true) {
      T last = null;
      Throwable failure = null;
      try {
        last = source.call();
        if (last != null && accepted.test(last)) {
          return last;
        }
      } catch (InterruptedException e) {
        throw interrupted(what, e);
      } catch (Exception | AssertionError e) {
        failure = e;
      }
      if (System.nanoTime() - start >= deadline.toNanos()) {
        String seen = failure != null ? "failed with " + failure : "was " + last;
        throw new AssertionError(
            "waited in vain for: "
                + what
                + " ("
                + deadline.toMillis()
                + " ms; the last check "
                + seen
                + ")",
            failure);
      }
      pause(what);
    }
  }

  private static void pause(String what) {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
  }

  private static IllegalStateException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while waiting for: " + what, cause);
  }
}
