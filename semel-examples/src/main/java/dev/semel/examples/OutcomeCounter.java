package dev.semel.examples;

import dev.semel.Listener;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts outcomes, as an adapter to a metrics library would, and logs outages. */
public final class OutcomeCounter {

  private static final Logger LOG = LoggerFactory.getLogger(OutcomeCounter.class);

  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  // tag::listener
  /** To be given to {@code Semel.builder(…).listener(…)}. */
  public Listener listener() {
    return new Listener() {
      @Override
      public void settled(Settled settled) {
        count(settled.outcome().getClass().getSimpleName());
      }

      @Override
      public void failed(String consumer, String messageKey, int failures, Throwable failure) {
        count("Failed");
      }

      @Override
      public void outageEnded(Outage outage, Duration lasted) {
        LOG.warn("{} {} was away for {} s", outage.kind(), outage.name(), lasted.toSeconds());
      }
    };
  }

  // end::listener

  private void count(String what) {
    counts.computeIfAbsent(what, name -> new LongAdder()).increment();
  }

  /** How often each outcome was seen, by its name. */
  public Map<String, Long> counts() {
    Map<String, Long> copy = new TreeMap<>();
    counts.forEach((name, count) -> copy.put(name, count.sum()));
    return copy;
  }
}
