package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns before deliveries wait longer than the broker allows. The broker counts from the moment it
 * sends, so the last of a full prefetch has waited for all before it when it begins.
 */
final class DeadlineWatch {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  /** Weight of one message in the mean: about the last hundred count. */
  private static final double WEIGHT = 0.02;

  private final Consumer consumer;
  private final int prefetch;
  private final int lanes;
  private final Telling telling;
  private double meanNanos;
  private double toldNanos;

  DeadlineWatch(Consumer consumer, int prefetch, int lanes, Telling telling) {
    this.consumer = consumer;
    this.prefetch = prefetch;
    this.lanes = lanes;
    this.telling = telling;
  }

  /** At the start, by what the user expects. */
  void start() {
    Duration expected = consumer.handlerTime();
    if (expected != null) {
      check(expected.toNanos());
    }
  }

  /** Handlers have run. */
  synchronized void ran(long nanos, int messages) {
    double each = (double) nanos / messages;
    double weight = 1 - Math.pow(1 - WEIGHT, messages);
    meanNanos += weight * (each - meanNanos);
    check(meanNanos);
  }

  private synchronized void check(double handlerNanos) {
    if (handlerNanos < 2 * toldNanos) {
      return;
    }
    String advice = advice(handlerNanos);
    if (advice != null) {
      toldNanos = handlerNanos;
      LOG.warn("{}", advice);
      Duration time = Duration.ofNanos((long) handlerNanos);
      telling.tell(l -> l.acknowledgementsLate(consumer.name(), time, advice));
    }
  }

  /** The remedies with their numbers; null if there is time enough. */
  @Nullable String advice(double handlerNanos) {
    double half = consumer.acknowledgementTimeout().toNanos() / 2.0;
    double wait = handlerNanos * prefetch / lanes;
    if (wait <= half) {
      return null;
    }
    long enough = (long) Math.floor(half * lanes / handlerNanos);
    String fewer =
        enough >= lanes
            ? "lower prefetch to " + enough + ", or "
            : "lower prefetch to " + lanes + " and ";
    return "consumer '"
        + consumer.name()
        + "': a message may wait "
        + text(wait)
        + " for its acknowledgement (prefetch "
        + prefetch
        + " × handler time "
        + text(handlerNanos)
        + " ÷ "
        + lanes
        + " lanes), more than half of the broker's limit of "
        + Setting.text(consumer.acknowledgementTimeout())
        + "; "
        + fewer
        + "raise consumer_timeout (and acknowledgementTimeout) to "
        + text(2 * wait)
        + ", or split the task";
  }

  private static String text(double nanos) {
    Duration d = Duration.ofNanos((long) nanos);
    return d.toSeconds() < 1
        ? d.toMillis() + " ms"
        : Setting.text(Duration.ofSeconds(d.plusMillis(999).toSeconds()));
  }
}
