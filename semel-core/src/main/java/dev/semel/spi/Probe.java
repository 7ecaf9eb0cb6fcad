package dev.semel.spi;

/**
 * Is told of each step. The engine uses an inert one; the test kit puts faults here. Per instance,
 * called by the thread that did the step.
 */
@FunctionalInterface
public interface Probe {

  /**
   * A step was done.
   *
   * @param step the step
   */
  void reached(Step step);
}
