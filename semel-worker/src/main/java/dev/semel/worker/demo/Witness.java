package dev.semel.worker.demo;

import dev.semel.checker.Event;
import dev.semel.checker.Recorder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In a worker: writes down what it does, and stops it dead at the planned moment. Once that is
 * reached the parent is told with which payment in hand, and every thread that comes by stays here
 * until the process is killed.
 */
final class Witness {

  /** How the line begins that tells the parent. */
  static final String REACHED = "reached ";

  private final Recorder recorder;
  private final String consumer;
  private final @Nullable Kill kill;
  private int progress;

  Witness(Recorder recorder, String consumer, @Nullable Kill kill) {
    this.recorder = recorder;
    this.consumer = consumer;
    this.kill = kill;
  }

  /** First thing that is done with a delivery that is to have an effect. */
  void entered(String payment) {
    recorder.record(Event.ENTERED, consumer, payment);
  }

  /** The effect is written, not committed. */
  void insideHandler(String payment) {
    at(Moment.INSIDE_HANDLER, List.of(payment));
  }

  /** The effects are committed. */
  void committed(List<String> payments) {
    payments.forEach(each -> recorder.record(Event.COMMITTED, consumer, each));
    if (!payments.isEmpty()) {
      at(Moment.BETWEEN_COMMIT_AND_ACKNOWLEDGEMENT, payments);
    }
  }

  void acknowledged(String payment, String outcome) {
    recorder.record(Event.ACKNOWLEDGED, consumer, payment, outcome);
  }

  private synchronized void at(Moment moment, List<String> payments) {
    if (kill == null || kill.moment() != moment) {
      return;
    }
    progress += payments.size();
    if (progress >= kill.after()) {
      System.out.println(REACHED + moment + " " + payments.get(payments.size() - 1));
      System.out.flush();
      freeze();
    }
  }

  /** Does not return, and keeps the monitor, so that every other thread stays as well. */
  static void freeze() {
    while (true) {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        // only SIGKILL ends this
        continue;
      }
    }
  }
}
