package dev.semel.engine;

import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes one line for each step, for {@code oneAtATime()}. */
record LoggingProbe(Probe next) implements Probe {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel.steps");

  @Override
  public void reached(Step step) {
    LOG.info("{}", step);
    next.reached(step);
  }
}
