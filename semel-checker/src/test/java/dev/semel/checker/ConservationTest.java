package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConservationTest {
  @TempDir Path directory;
  private Story story;

  @BeforeEach
  void begin() {
    story = new Story(directory);
  }

  @Test
  void whatIsSettledWithoutAnEffectOfItsOwnIsADuplicate() throws IOException {
    Verdict verdict =
        story
            .published("a", "a", "a")
            .applied("w", "a")
            .in("w", "a", Event.ACKNOWLEDGED)
            .judge("a")
            .queued(List.of("a"))
            .judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.balance()).isEqualTo(new Balance(3, 0, 1, 1, 0, 1, 0));
  }

  @Test
  void committedButNotYetSettledIsAnOverlap() throws IOException {
    Verdict verdict = story.published("a").judge("a").queued(List.of("a")).judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.balance()).isEqualTo(new Balance(1, 1, 1, 0, 0, 1, 0));
  }

  @Test
  void findsACopyThatVanishedBesideOneThatIsStillQueued() throws IOException {
    Verdict verdict = story.published("a", "a").judge().queued(List.of("a")).judge();

    assertThat(verdict.lost()).isEmpty();
    assertOnly(verdict, "a", "1 of 2 copies left the broker");
    assertThat(verdict.balance().vanished()).isEqualTo(1);
  }

  @Test
  void findsMoreCopiesInTheQueueThanWerePublished() throws IOException {
    assertOnly(
        story.published("a").judge("a").queued(List.of("a", "a")).judge(),
        "a",
        "2 copies in the queues, published 1");
  }

  @Test
  void findsOneCopyThatIsBothAppliedAndParked() throws IOException {
    assertOnly(
        story.published("a").judge("a").parked(Tally.of(List.of("a"))).judge(),
        "a",
        "effects 1, parked rows 1, published 1");
  }

  @Test
  void aSecondCopyMayBeParkedBesideTheEffectOfTheFirst() throws IOException {
    assertThat(story.published("a", "a").judge("a").parked(Tally.of(List.of("a"))).judge().ok())
        .isTrue();
  }

  @Test
  void oneCopyMayBeParkedTwiceByTwoDeliveries() throws IOException {
    Verdict verdict = story.published("a").judge().parked(Tally.of(List.of("a", "a"))).judge();

    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.balance()).isEqualTo(new Balance(1, 1, 0, 0, 2, 0, 0));
  }

  @Test
  void findsWhatIsParkedOrQueuedButWasNeverPublished() throws IOException {
    Verdict verdict =
        story.published("a").judge("a").parked(Tally.of(List.of("x"))).queued(List.of("y")).judge();

    assertThat(verdict.violations())
        .extracting(Violation::promise, Violation::key)
        .containsExactly(tuple(Promise.CONSERVATION, "x"), tuple(Promise.CONSERVATION, "y"));
  }

  @Test
  void theSumsAreEqualWhateverHappened() throws IOException {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("ConservationTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    List<String> keys = List.of("a", "b", "c", "d", "e", "f");
    story.published("a");
    story.published(some(random, keys));
    Judge judge = story.judge(some(random, keys));

    Balance sum =
        judge
            .parked(Tally.of(List.of(some(random, keys))))
            .queued(List.of(some(random, keys)))
            .judge()
            .balance();

    assertThat(sum.published() + sum.overlap())
        .as("seed %d", seed)
        .isEqualTo(sum.applied() + sum.duplicates() + sum.parked() + sum.queued() + sum.vanished());
  }

  private static String[] some(Random random, List<String> keys) {
    return random.ints(8, 0, keys.size()).mapToObj(keys::get).toArray(String[]::new);
  }

  private static void assertOnly(Verdict verdict, String key, String detail) {
    assertThat(verdict.violations())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.promise()).isEqualTo(Promise.CONSERVATION);
              assertThat(violation.key()).isEqualTo(key);
              assertThat(violation.detail()).contains(detail);
            });
  }
}
