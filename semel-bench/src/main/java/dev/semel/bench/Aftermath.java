package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What is there after a run.
 *
 * @param effects what became of the keys
 * @param left messages in the queue
 * @param parked what became of parked messages
 * @param redelivered how many of the settled deliveries Semel has told to be redelivered
 */
record Aftermath(Effects.Count effects, long left, ParkedRows.Count parked, long redelivered) {

  /** Why the run was not what it should have been; empty if all is well. */
  List<String> faults(int messages, Scene scene) {
    List<String> faults = new ArrayList<>();
    long lost = messages - effects.once() - effects.doubled();
    if (lost != 0 || effects.doubled() != 0 || left != 0) {
      faults.add(
          lost
              + " messages without an effect, "
              + effects.doubled()
              + " with more than one, "
              + left
              + " still in the queue");
    }
    if (parked.ever() != scene.parked() || parked.now() != scene.parked()) {
      faults.add(
          "the books tell of "
              + parked.ever()
              + " parked messages and "
              + parked.now()
              + " are there, but both must be "
              + scene.parked());
    }
    if (redelivered != scene.redeliveredOf(messages)) {
      faults.add(
          redelivered
              + " of the messages were redelivered, but must be "
              + scene.redeliveredOf(messages));
    }
    return faults;
  }
}
