package dev.semel.bench;

/** A way to apply all messages of a queue. */
interface Consuming {

  /** Applies messages until the meter has seen all of them acknowledged, then ends in order. */
  void run(Assignment assignment, Meter meter) throws Exception;
}
