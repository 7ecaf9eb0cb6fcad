package dev.semel.worker.demo;

/** One of the three workers, in its own process. */
@FunctionalInterface
interface Workman {

  /** Takes and applies payments until the parent says stop. */
  void run(ParentWatch parent) throws Exception;
}
