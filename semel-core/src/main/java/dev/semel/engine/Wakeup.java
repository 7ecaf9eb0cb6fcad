package dev.semel.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Says within this process that messages have been committed to the outbox. */
final class Wakeup {

  private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();

  void add(Runnable sleeper) {
    sleepers.add(sleeper);
  }

  void remove(Runnable sleeper) {
    sleepers.remove(sleeper);
  }

  /** Returns at once. */
  void signal() {
    sleepers.forEach(Runnable::run);
  }
}
