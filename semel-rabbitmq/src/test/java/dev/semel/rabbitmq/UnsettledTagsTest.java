package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class UnsettledTagsTest {

  private final UnsettledTags tags = new UnsettledTags();

  private void received(int upTo) {
    for (long tag = 1; tag <= upTo; tag++) {
      tags.add(tag);
    }
  }

  @Test
  void wholeBatchIsOneAcknowledgement() {
    received(5);
    assertThat(tags.acknowledge(List.of(1L, 2L, 3L, 4L, 5L)))
        .isEqualTo(new UnsettledTags.Acks(5, List.of()));
    assertThat(tags.isEmpty()).isTrue();
  }

  @Test
  void behindTheFirstUnsettledTagEachIsAcknowledgedAlone() {
    received(6);
    assertThat(tags.acknowledge(List.of(1L, 2L, 4L, 6L)))
        .isEqualTo(new UnsettledTags.Acks(2, List.of(4L, 6L)));
  }

  @Test
  void theHoleIsClosedWithoutTakingAgainWhatWasTakenAlone() {
    received(6);
    tags.acknowledge(List.of(1L, 2L, 4L, 6L));
    assertThat(tags.acknowledge(List.of(3L))).isEqualTo(new UnsettledTags.Acks(3, List.of()));
    assertThat(tags.acknowledge(List.of(5L))).isEqualTo(new UnsettledTags.Acks(5, List.of()));
    assertThat(tags.isEmpty()).isTrue();
  }

  @Test
  void nothingIsTakenTwice() {
    received(3);
    tags.acknowledge(List.of(2L));
    assertThat(tags.take(List.of(3L, 3L, 2L, 99L))).containsExactly(3L);
    assertThat(tags.acknowledge(List.of(2L, 3L))).isEqualTo(new UnsettledTags.Acks(0, List.of()));
    assertThat(tags.acknowledge(List.of(1L, 1L))).isEqualTo(new UnsettledTags.Acks(1, List.of()));
  }

  /**
   * Against a broker in miniature: it knows what is outstanding, refuses a tag that is not, and
   * takes every older one with a multiple-ack. Whatever is settled in whatever order and portions,
   * it must have been told of exactly that and must never have refused.
   */
  @Test
  void agreesWithABrokerInMiniature() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("UnsettledTagsTest: repeat with -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      roundWith(random, "seed " + seed + ", round " + round);
    }
  }

  private static void roundWith(Random random, String what) {
    UnsettledTags ours = new UnsettledTags();
    TreeSet<Long> outstanding = new TreeSet<>();
    Set<Long> unsettled = new TreeSet<>();
    long last = 0;
    for (int step = 0; step < 30; step++) {
      for (int more = random.nextInt(6); more > 0; more--) {
        ours.add(++last);
        outstanding.add(last);
        unsettled.add(last);
      }
      List<Long> chosen = new ArrayList<>();
      for (long tag = Math.max(1, last - 15); tag <= last; tag++) {
        if (random.nextInt(3) == 0) {
          chosen.add(tag); // now and then one that was settled before
        }
      }
      Collections.shuffle(chosen, random);
      if (random.nextInt(4) == 0) {
        ours.take(chosen).forEach(tag -> refuseUnknown(outstanding, tag, what));
      } else {
        UnsettledTags.Acks acks = ours.acknowledge(chosen);
        if (acks.upTo() > 0) {
          refuseUnknown(outstanding, acks.upTo(), what);
          outstanding.headSet(acks.upTo(), true).clear();
        }
        acks.single().forEach(tag -> refuseUnknown(outstanding, tag, what));
      }
      unsettled.removeAll(chosen);
      assertThat(outstanding).as(what).isEqualTo(unsettled);
      assertThat(ours.isEmpty()).as(what).isEqualTo(unsettled.isEmpty());
    }
  }

  private static void refuseUnknown(Set<Long> outstanding, long tag, String what) {
    assertThat(outstanding.remove(tag)).as("known tag %s, %s", tag, what).isTrue();
  }
}
