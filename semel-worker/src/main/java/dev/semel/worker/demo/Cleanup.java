package dev.semel.worker.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What must be gone when the demo ends, however it ends: undone last-in-first-out on close, or by a
 * shutdown hook after Ctrl-C.
 */
final class Cleanup implements AutoCloseable {

  private final Deque<AutoCloseable> things = new ArrayDeque<>();
  private final Thread hook = new Thread(this::undoAll, "semel-demo-cleanup");
  private boolean closed;

  Cleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Takes charge of a thing; one that comes too late is undone at once. */
  <T extends AutoCloseable> T add(T thing) {
    synchronized (this) {
      if (!closed) {
        things.push(thing);
        return thing;
      }
    }
    undo(thing);
    throw new DemoException("interrupted");
  }

  /** Undoes a thing before its turn. */
  void undoNow(AutoCloseable thing) {
    synchronized (this) {
      things.remove(thing);
    }
    undo(thing);
  }

  @Override
  public void close() {
    undoAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM ends already, and the hook finds nothing left to do
      return;
    }
  }

  private void undoAll() {
    for (AutoCloseable thing = next(); thing != null; thing = next()) {
      undo(thing);
    }
  }

  private synchronized @Nullable AutoCloseable next() {
    closed = true;
    return things.poll();
  }

  private static void undo(AutoCloseable thing) {
    try {
      thing.close();
    } catch (Exception e) {
      // it is going away anyhow; what is in it (a server, a child) has its own end with this JVM
      org.slf4j.LoggerFactory.getLogger(Cleanup.class).info("could not tidy up {}", thing, e);
    }
  }
}
