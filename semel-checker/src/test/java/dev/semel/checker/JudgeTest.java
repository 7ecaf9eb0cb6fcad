package dev.semel.checker;

import static dev.semel.checker.Event.COMMITTED;
import static dev.semel.checker.Event.ENTERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JudgeTest {
  @TempDir Path directory;
  private Story story;

  @BeforeEach
  void begin() {
    story = new Story(directory);
  }

  @Test
  void findsNothingWrongWithACleanRun() throws IOException {
    Verdict verdict = story.published("a", "b").applied("w", "a", "b").judge("a", "b").judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.undecided()).isEmpty();
    assertThat(verdict.balance()).isEqualTo(new Balance(2, 0, 2, 0, 0, 0, 0));
    assertThat(verdict.consumer()).isEqualTo("payments");
    assertThat(verdict.count(Event.ACKNOWLEDGED)).isEqualTo(2);
  }

  @Test
  void findsADoubledEffect() throws IOException, SQLException {
    Judge judge = story.published("a", "b").applied("w", "a", "b").judge();
    Tally effects = Tally.read(new Rows(1, "a", "b", "a").connection(), "select k from effects");

    Verdict verdict = judge.effects(effects).judge();

    assertThat(verdict.doubled()).containsExactly("a");
    assertThat(verdict.violations())
        .containsExactly(new Violation(Promise.AT_MOST_ONCE, "payments", "a", "effects 2"));
  }

  @Test
  void aLossElsewhereDoesNotMakeUpForADoubledEffect() throws IOException {
    Verdict verdict =
        story.published("a", "b").applied("w", "a").in("w", "a", ENTERED).judge("a", "a").judge();

    assertThat(verdict.doubled()).containsExactly("a");
    assertThat(verdict.lost()).containsExactly("b");
  }

  @Test
  void findsALostMessage() throws IOException {
    Verdict verdict =
        story.published("a", "b").applied("w", "a").in("w", "b", ENTERED).judge("a").judge();

    assertThat(verdict.lost()).containsExactly("b");
    assertThat(verdict.violations())
        .extracting(Violation::promise)
        .containsExactly(Promise.EVENTUALLY_ONCE);
    assertThat(verdict.balance().vanished()).isEqualTo(1);
  }

  @Test
  void whatIsParkedOrStillWithTheBrokerIsNotLost() throws IOException {
    Verdict verdict =
        story
            .published("a", "b")
            .judge()
            .parked(Tally.of(List.of("a")))
            .queued(List.of("b"))
            .judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.balance()).isEqualTo(new Balance(2, 0, 0, 0, 1, 1, 0));
  }

  @Test
  void findsAnInventedEffect() throws IOException {
    Verdict verdict = story.published("a").applied("w", "a", "x").judge("a", "x").judge();

    assertThat(verdict.invented()).containsExactly("x");
    assertThat(verdict.violations())
        .extracting(Violation::promise)
        .containsExactly(Promise.NOTHING_INVENTED);
  }

  @Test
  void ofAKeyThatWasPerhapsPublishedOnlyADoubledEffectIsWrong() throws IOException {
    Verdict verdict =
        story
            .published("a", "b")
            .applied("w", "a", "x")
            .judge("a", "x", "y", "y")
            .perhapsPublished(List.of("b", "x", "y"))
            .judge();

    assertThat(verdict.lost()).isEmpty();
    assertThat(verdict.invented()).isEmpty();
    assertThat(verdict.violations()).extracting(Violation::key).containsExactly("y");
    assertThat(verdict.balance().published()).isEqualTo(1);
  }

  @Test
  void countsEntriesForEachKey() throws IOException {
    Verdict verdict =
        story
            .published("a", "b", "c")
            .in("w1", "a", ENTERED)
            .in("w1", "c", ENTERED, COMMITTED)
            .applied("w2", "a", "b")
            .judge("a", "b", "c")
            .judge();

    assertThat(verdict.entered().repeated()).containsExactly("a");
    assertThat(verdict.entered().count("b")).isEqualTo(1);
    assertThat(verdict.entriesWithoutEffect()).isEqualTo(1);
    assertThat(verdict.ok()).isTrue();
  }

  @Test
  void anEffectWithoutAnEntryDoesNotHideAnEntryWithoutAnEffect() throws IOException {
    Verdict verdict =
        story.published("a", "b").in("w", "a", ENTERED).judge("b").queued(List.of("a")).judge();

    assertThat(verdict.entriesWithoutEffect()).isEqualTo(1);
  }

  @Test
  void judgesOneConsumerAndLeavesTheOthersAlone() throws IOException {
    try (Recorder recorder = Recorder.open(directory, "other")) {
      recorder.record(Event.PUBLISHED, "mails", "m");
      recorder.record(Event.ACKNOWLEDGED, "mails", "a");
      recorder.record(Event.ENTERED, "mails", "a");
    }
    Verdict verdict = story.published("a").applied("w", "a").judge("a").judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.undecided()).isEmpty();
    assertThat(verdict.balance().published()).isEqualTo(1);
    assertThat(verdict.entered().count("a")).isEqualTo(1);

    Verdict mails =
        Judge.of(History.read(directory), "mails").effects(Tally.of(List.of("a"))).judge();
    assertThat(mails.lost()).containsExactly("m");
  }

  @Test
  void refusesToJudgeNothing() throws IOException {
    Judge nothingPublished = story.applied("w", "a").judge("a");
    assertThatIllegalStateException().isThrownBy(nothingPublished::judge);
  }

  @Test
  void refusesToJudgeWithoutEffects() throws IOException {
    story.published("a").judge();
    Judge forgotten = Judge.of(History.read(directory), "payments");
    assertThatIllegalStateException().isThrownBy(forgotten::judge);
  }
}
