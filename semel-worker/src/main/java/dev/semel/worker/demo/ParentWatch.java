package dev.semel.worker.demo;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** In a child: hears "stop" on standard input, and ends the process when the parent is gone. */
final class ParentWatch {

  private final CountDownLatch stop = new CountDownLatch(1);

  /** Starts to listen. */
  static ParentWatch start() {
    ParentWatch watch = new ParentWatch();
    Thread thread = new Thread(watch::listen, "semel-demo-parent");
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  boolean stopped() {
    return stop.getCount() == 0;
  }

  void awaitStop() throws InterruptedException {
    stop.await();
  }

  private void listen() {
    try {
      int read = System.in.read();
      while (read >= 0) {
        stop.countDown();
        read = System.in.read();
      }
    } catch (IOException e) {
      // no more parent
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(1);
  }
}
