package dev.semel.worker.demo;

/** Where in its work a worker is killed. */
enum Moment {
  /** The effect is written and not committed. */
  INSIDE_HANDLER,
  /** The effect is committed, and the broker does not know it yet. */
  BETWEEN_COMMIT_AND_ACKNOWLEDGEMENT
}
