package dev.semel.tests.worker;

import dev.semel.checker.Event;
import dev.semel.checker.Recorder;
import dev.semel.spi.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys whose handlers ran in the open transaction of this lane's thread; recorded at the commit.
 */
final class InHand {

  private final ThreadLocal<List<String>> keys = ThreadLocal.withInitial(ArrayList::new);
  private final String consumer;
  private final Recorder recorder;

  InHand(String consumer, Recorder recorder) {
    this.consumer = consumer;
    this.recorder = recorder;
  }

  void entered(String key) {
    keys.get().add(key);
  }

  void reached(Step step) {
    if (step == Step.LOCKED) {
      keys.get().clear();
    } else if (step == Step.COMMITTED) {
      keys.get().forEach(k -> recorder.record(Event.COMMITTED, consumer, k));
      keys.get().clear();
    }
  }
}
