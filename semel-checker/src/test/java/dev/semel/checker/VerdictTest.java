package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VerdictTest {
  @TempDir Path directory;
  private Story story;

  @BeforeEach
  void begin() {
    story = new Story(directory);
  }

  @Test
  void aGoodOneAssertsInSilence() throws IOException {
    Verdict good = story.published("a").applied("w", "a").judge("a").judge();

    assertThatCode(good::assertGood).doesNotThrowAnyException();
    assertThatCode(good::assertNothingDoubled).doesNotThrowAnyException();
    assertThatCode(good::assertNothingLost).doesNotThrowAnyException();
    assertThat(good.report())
        .isEqualTo(
            """
            payments: good
              published 1 + overlap 0 = applied 1 + duplicates 0 + parked 0 + queued 0 + vanished 0
              recorded: published 1, entered 1, committed 1, parked 0, acknowledged 1, unknown 0, entries without effect 0
            """);
  }

  @Test
  void aDoubledEffectHasAnErrorOfItsOwn() throws IOException {
    Verdict verdict = story.published("a").applied("w", "a").judge("a", "a").judge();

    assertThatCode(verdict::assertNothingLost).doesNotThrowAnyException();
    assertThatExceptionOfType(DoubleEffect.class)
        .isThrownBy(verdict::assertNothingDoubled)
        .withMessage(verdict.report())
        .satisfies(error -> assertThat(error.keys()).containsExactly("a"));
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(verdict::assertGood)
        .withMessage(verdict.report());
  }

  @Test
  void aLostMessageHasAnErrorOfItsOwn() throws IOException {
    Verdict verdict = story.published("a", "b").applied("w", "a").judge("a").judge();

    assertThatCode(verdict::assertNothingDoubled).doesNotThrowAnyException();
    assertThatExceptionOfType(LostMessage.class)
        .isThrownBy(verdict::assertNothingLost)
        .withMessage(verdict.report())
        .satisfies(error -> assertThat(error.keys()).containsExactly("b"));
    assertThatExceptionOfType(AssertionError.class).isThrownBy(verdict::assertGood);
  }

  @Test
  void theReportNamesTwentyKeysOfAKindAndCountsTheRest() throws IOException {
    String[] keys = IntStream.range(10, 35).mapToObj(i -> "k" + i).toArray(String[]::new);
    Verdict verdict = story.published(keys).judge("k10", "k10", "new\nline").judge();

    assertThat(verdict.lost()).hasSize(24);
    assertThat(verdict)
        .hasToString(
            """
            payments: BROKEN, violations 26
              published 25 + overlap 0 = applied 1 + duplicates 0 + parked 0 + queued 0 + vanished 24
              recorded: published 25, entered 0, committed 0, parked 0, acknowledged 0, unknown 0, entries without effect 0
              at most once, keys 1: k10; the first: effects 2
              eventually once, keys 24: k11, k12, k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, k27, k28, k29, k30 and 4 more; the first: no effect, not parked, not with the broker; published 1, entered 0, acknowledged 0
              nothing invented, keys 1: new\\nline; the first: has an effect, never published
            """);
  }

  @Test
  void theReportNamesWhatIsUndecided() throws IOException {
    Verdict verdict = story.published("a").in("w", "a", Event.ACKNOWLEDGED).judge("a").judge();

    verdict.assertGood();
    assertThat(verdict.report()).contains("good").contains("  undecided, keys 1: a; the first: ");
  }
}
