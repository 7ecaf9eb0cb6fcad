package dev.semel.rabbitmq;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named threads that keep no JVM alive. */
final class DaemonThreads implements ThreadFactory {

  private final AtomicInteger count = new AtomicInteger();
  private final String name;

  DaemonThreads(String name) {
    this.name = name;
  }

  @Override
  public Thread newThread(Runnable task) {
    return named(name + "-" + count.incrementAndGet(), task);
  }

  static Thread named(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
