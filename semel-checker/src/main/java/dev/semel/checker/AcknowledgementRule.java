package dev.semel.checker;

import java.util.List;
import java.util.Optional;

/**
 * Judges {@link Promise#ACKNOWLEDGE_AFTER_COMMIT}.
 *
 * <p>An event is recorded a moment after it happened, and a process can be killed in that moment.
 * So an acknowledgement that stands before the commit in the history was not always sent before it.
 * The rule accuses only where no correct system could have left these traces; what a correct one
 * could have left as well is undecided, and says by what.
 */
final class AcknowledgementRule {
  private final History history;

  AcknowledgementRule(History history) {
    this.history = history;
  }

  /** What was found, and whether it is certain. */
  record Finding(boolean certain, String detail) {}

  Optional<Finding> judge(KeyFacts facts) {
    List<Recorded> events = facts.events();
    int firstAck = first(events, Event.ACKNOWLEDGED, 0);
    if (firstAck == events.size()) {
      return Optional.empty();
    }
    int parked = first(events, Event.PARKED, 0);
    int secured = Math.min(parked, first(events, Event.COMMITTED, 0));
    if (facts.effects() + facts.parked() == 0 && parked > firstAck) {
      return Optional.of(new Finding(true, "acknowledged, no effect, not parked"));
    }
    if (secured < firstAck) {
      return Optional.empty();
    }
    if (secured == events.size()) {
      return Optional.of(
          new Finding(false, "acknowledged, but the commit behind it was not recorded"));
    }
    return Optional.of(early(events, firstAck, secured));
  }

  private Finding early(List<Recorded> events, int firstAck, int secured) {
    Recorded commit = events.get(secured);
    if (first(events, Event.UNKNOWN, 0) < firstAck) {
      return new Finding(false, "acknowledged after a commit whose outcome was unknown");
    }
    if (first(events, Event.ACKNOWLEDGED, secured) < events.size()) {
      return new Finding(
          false, "acknowledged before and after its commit was recorded; perhaps another copy");
    }
    for (int i = firstAck; i < secured; i++) {
      Recorded event = events.get(i);
      if (event.event() == Event.ACKNOWLEDGED && event.file().equals(commit.file())) {
        return inOneProcess(events, i, secured);
      }
    }
    return new Finding(
        false, "acknowledged in another process before the commit was recorded; perhaps later");
  }

  /**
   * A parked message runs after its acknowledgement; that it was parked may have died with an
   * earlier process.
   */
  private Finding inOneProcess(List<Recorded> events, int ack, int secured) {
    Recorded commit = events.get(secured);
    boolean enteredBetween =
        events.subList(ack, secured).stream()
            .anyMatch(e -> e.event() == Event.ENTERED && e.file().equals(commit.file()));
    if (enteredBetween && history.workerFellSilentBefore(events.get(ack))) {
      return new Finding(
          false, "acknowledged, then run; perhaps parked by a process that died before it said so");
    }
    return new Finding(
        true,
        "acknowledged (line "
            + events.get(ack).sequence()
            + ") before "
            + commit.event()
            + " (line "
            + commit.sequence()
            + ") in "
            + commit.file());
  }

  private static int first(List<Recorded> events, Event event, int from) {
    for (int i = from; i < events.size(); i++) {
      if (events.get(i).event() == event) {
        return i;
      }
    }
    return events.size();
  }
}
