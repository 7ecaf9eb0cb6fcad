package dev.semel.checker;

import static dev.semel.checker.Event.ACKNOWLEDGED;
import static dev.semel.checker.Event.COMMITTED;
import static dev.semel.checker.Event.ENTERED;
import static dev.semel.checker.Event.PARKED;
import static dev.semel.checker.Event.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AcknowledgementRuleTest {
  @TempDir Path directory;
  private Story story;

  @BeforeEach
  void begin() {
    story = new Story(directory).published("a");
  }

  @Test
  void accusesAnAcknowledgementBeforeTheCommit() throws IOException {
    story.in("w", "a", ENTERED, ACKNOWLEDGED, COMMITTED);
    assertAccused(story.judge("a").judge(), "acknowledged (line 2) before COMMITTED (line 3)");
  }

  @Test
  void accusesAnAcknowledgementBeforeTheHandler() throws IOException {
    story.in("w", "a", ACKNOWLEDGED, ENTERED, COMMITTED);
    assertAccused(story.judge("a").judge(), "acknowledged (line 1) before COMMITTED (line 3)");
  }

  @Test
  void accusesAnAcknowledgementBeforeParking() throws IOException {
    story.in("w", "a", ENTERED, ACKNOWLEDGED, PARKED, ENTERED, COMMITTED);
    assertAccused(story.judge("a").judge(), "before PARKED (line 3)");
  }

  @Test
  void accusesAnAcknowledgementThatHasNothingBehindIt() throws IOException {
    story.published("a").in("w", "a", ENTERED, ACKNOWLEDGED);
    Verdict verdict = story.judge().queued(List.of("a", "a")).judge();
    assertAccused(verdict, "acknowledged, no effect, not parked");
  }

  @Test
  void accusesACommitThatStoredNothing() throws IOException {
    story.in("w", "a", ENTERED, COMMITTED, ACKNOWLEDGED);
    assertAccused(
        story.judge().queued(List.of("a")).judge(), "acknowledged, no effect, not parked");
  }

  @Test
  void accusesAcknowledgingAnUnknownCommitThatDidNotHappen() throws IOException {
    story.in("w", "a", ENTERED, UNKNOWN, ACKNOWLEDGED);
    assertAccused(
        story.judge().queued(List.of("a")).judge(), "acknowledged, no effect, not parked");
  }

  @Test
  void aLostMessageThatWasAcknowledgedIsBoth() throws IOException {
    story.in("w", "a", ENTERED, ACKNOWLEDGED);
    assertThat(story.judge().judge().violations())
        .extracting(Violation::promise)
        .containsExactly(Promise.EVENTUALLY_ONCE, Promise.ACKNOWLEDGE_AFTER_COMMIT);
  }

  @Test
  void theDeathOfAnotherProcessDoesNotExcuseAnAcknowledgementInsideTheRun() throws IOException {
    story.in("dead", "a", ENTERED).in("w", "a", ENTERED, ACKNOWLEDGED, COMMITTED);
    assertAccused(story.judge("a").judge(), "before COMMITTED");
  }

  @Test
  void aProducerThatHasFinishedExcusesNothing() throws IOException {
    story.in("idle", "other", PARKED);
    story.in("w", "a", ACKNOWLEDGED, ENTERED, COMMITTED);
    story.in("idle", "other", PARKED);
    Verdict verdict = story.judge("a").perhapsPublished(List.of("other")).judge();
    assertAccused(verdict, "before COMMITTED");
  }

  @Test
  void acknowledgingAfterTheCommitIsRight() throws IOException {
    story.in("w", "a", ENTERED, COMMITTED, ACKNOWLEDGED, ACKNOWLEDGED);
    assertInnocent(story.judge("a").judge());
  }

  @Test
  void accusesAnAcknowledgementBeforeParkingThoughItIsParkedNow() throws IOException {
    story.in("w", "a", ENTERED, ACKNOWLEDGED, PARKED);
    assertAccused(story.judge().parked(Tally.of(List.of("a"))).judge(), "before PARKED (line 3)");
  }

  @Test
  void acknowledgingWhatIsParkedIsRight() throws IOException {
    story.in("w", "a", ENTERED, PARKED, ACKNOWLEDGED);
    assertInnocent(story.judge().parked(Tally.of(List.of("a"))).judge());
  }

  @Test
  void parkedWithoutARecordOfIt() throws IOException {
    story.in("w", "a", ENTERED, ACKNOWLEDGED);
    assertUndecided(
        story.judge().parked(Tally.of(List.of("a"))).judge(),
        "the commit behind it was not recorded");
  }

  @Test
  void aParkedMessageIsAcknowledgedBeforeItRuns() throws IOException {
    story.in("w", "a", ENTERED, PARKED, ACKNOWLEDGED, ENTERED, COMMITTED);
    assertInnocent(story.judge("a").judge());
  }

  @Test
  void aParkedMessageThatIsGoneIsLostButWasAcknowledgedInTime() throws IOException {
    story.in("w", "a", ENTERED, PARKED, ACKNOWLEDGED);
    assertThat(story.judge().judge().violations())
        .extracting(Violation::promise)
        .containsExactly(Promise.EVENTUALLY_ONCE);
  }

  @Test
  void killedBetweenCommitAndRecord() throws IOException {
    story.in("killed", "a", ENTERED).in("next", "a", ACKNOWLEDGED);
    assertUndecided(story.judge("a").judge(), "the commit behind it was not recorded");
  }

  @Test
  void aRivalAcknowledgesItsCopyBeforeTheCommitterHasRecorded() throws IOException {
    story.published("a").in("w", "a", ENTERED, ACKNOWLEDGED, COMMITTED, ACKNOWLEDGED);
    assertUndecided(story.judge("a").judge(), "perhaps another copy");
  }

  @Test
  void aPausedProcessRecordsItsCommitAfterAnotherAcknowledged() throws IOException {
    story.in("paused", "a", ENTERED).in("other", "a", ACKNOWLEDGED).in("paused", "a", COMMITTED);
    assertUndecided(story.judge("a").judge(), "in another process");
  }

  @Test
  void killedBetweenParkingAndRecord() throws IOException {
    story.in("killed", "a", ENTERED).in("next", "a", ACKNOWLEDGED, ENTERED, COMMITTED);
    assertUndecided(story.judge("a").judge(), "perhaps parked by a process that died");
  }

  @Test
  void anUnknownCommitThatHappened() throws IOException {
    story.in("w", "a", ENTERED, UNKNOWN, ACKNOWLEDGED, PARKED);
    assertUndecided(story.judge("a").judge(), "unknown");
  }

  private static void assertAccused(Verdict verdict, String detail) {
    assertThat(verdict.undecided()).isEmpty();
    assertFound(verdict.violations(), detail);
  }

  private static void assertUndecided(Verdict verdict, String detail) {
    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.ok()).isTrue();
    assertFound(verdict.undecided(), detail);
  }

  private static void assertInnocent(Verdict verdict) {
    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.undecided()).isEmpty();
  }

  private static void assertFound(List<Violation> found, String detail) {
    assertThat(found)
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.promise()).isEqualTo(Promise.ACKNOWLEDGE_AFTER_COMMIT);
              assertThat(violation.consumer()).isEqualTo(Story.CONSUMER);
              assertThat(violation.key()).isEqualTo("a");
              assertThat(violation.detail()).contains(detail);
            });
  }
}
