package dev.semel.tests.worker;

import dev.semel.testkit.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A worker process, seen from the test. */
public final class WorkerProcess implements AutoCloseable {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final ChildJvm child;

  WorkerProcess(ChildJvm child) {
    this.child = child;
  }

  public void awaitReady() {
    child.awaitLine("READY", DEADLINE);
  }

  /**
   * Waits for a line that the worker prints: {@code ENTERED key}, {@code STRUCK step} and so on.
   */
  public String awaitLine(String regex) {
    return child.awaitLine(regex, DEADLINE);
  }

  /** SIGKILL; the exit status is asserted to be that of signal 9. */
  public void kill() {
    child.kill();
    int status = child.waitForExit(DEADLINE);
    if (status != 137) {
      throw new AssertionError("the worker was to end by signal 9, but ended with " + status);
    }
  }

  public int waitForExit() {
    return child.waitForExit(DEADLINE);
  }

  /** SIGTERM, and the exit status. */
  public int stop() {
    child.terminate();
    return child.waitForExit(DEADLINE);
  }

  public ChildJvm child() {
    return child;
  }

  public boolean isAlive() {
    return child.isAlive();
  }

  public List<String> lines() {
    try {
      return child.output();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Lines of the log on standard error. */
  public List<String> log() {
    try {
      return child.errors();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** What it printed can still be read afterwards, all of it. */
  @Override
  public void close() {
    child.kill();
    child.waitForExit(DEADLINE);
    lines();
    log();
    child.close();
  }
}
