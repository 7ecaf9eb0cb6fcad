package dev.semel.worker.demo;

import dev.semel.spi.Step;

/** Where in its work a relay is killed; at each of them it has events in hand. */
enum RelayMoment {
  /** Published; whether the broker has it is not known. */
  PUBLISHED(Step.SENT),
  /** The broker has confirmed, the row is still in the outbox: it leaves once more. */
  CONFIRMED(Step.CONFIRMED);

  private final Step step;

  RelayMoment(Step step) {
    this.step = step;
  }

  Step step() {
    return step;
  }
}
