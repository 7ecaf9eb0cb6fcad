package dev.semel.engine;

/** How far a worker's stop has come. Only goes forward. */
final class StopState {

  private volatile boolean draining;
  private volatile boolean aborted;

  /** Nothing new is begun; what runs may finish. */
  boolean draining() {
    return draining;
  }

  /** The grace time is over. */
  boolean aborted() {
    return aborted;
  }

  void drain() {
    draining = true;
  }

  void abort() {
    draining = true;
    aborted = true;
  }
}
