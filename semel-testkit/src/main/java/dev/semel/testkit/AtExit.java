package dev.semel.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What must not outlive this JVM, undone last-in-first-out by one shutdown hook. */
final class AtExit {

  private static final Deque<Runnable> TASKS = new ArrayDeque<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::runAll, "semel-testkit-exit"));
  }

  private AtExit() {}

  static synchronized void add(Runnable task) {
    TASKS.push(task);
  }

  static synchronized void remove(Runnable task) {
    TASKS.removeIf(each -> each == task);
  }

  private static synchronized @Nullable Runnable next() {
    return TASKS.isEmpty() ? null : TASKS.pop();
  }

  private static void runAll() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException | AssertionError e) {
        System.err.println("semel-testkit: could not tidy up at exit: " + e);
      }
    }
  }
}
