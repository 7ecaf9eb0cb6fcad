package dev.semel.worker.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Tally;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutboxScoreTest {

  private static final Tally EFFECTS = Tally.of(List.of("a", "b"));

  @Test
  void each_event_once_is_good_and_so_are_copies() {
    assertThat(score(event("1", "a"), event("2", "b"), event("1", "a")))
        .isEqualTo(new OutboxScore(2, 2, 1, 0, 0, 3));
  }

  @Test
  void a_payment_without_its_event_is_lost() {
    assertThat(score(event("1", "a"), event("1", "a")))
        .isEqualTo(new OutboxScore(2, 1, 1, 1, 0, 3));
  }

  @Test
  void an_event_of_a_payment_without_effect_is_invented() {
    assertThat(score(event("1", "a"), event("2", "b"), event("3", "c")))
        .isEqualTo(new OutboxScore(2, 3, 0, 0, 1, 3));
  }

  @Test
  void two_ids_of_one_payment_are_found() {
    assertThat(score(event("1", "a"), event("2", "b"), event("3", "b")))
        .isEqualTo(new OutboxScore(2, 3, 0, 0, 1, 3));
  }

  @Test
  void one_id_of_two_payments_is_found() {
    assertThat(score(event("1", "a"), event("1", "b")))
        .isEqualTo(new OutboxScore(2, 1, 1, 0, 1, 3));
  }

  @Test
  void what_is_no_such_event_is_invented_and_saves_no_payment() {
    assertThat(
            score(
                event("1", "a"),
                new Arrival("2", "payment.refused", Confirmation.body("b")),
                new Arrival("3", Confirmation.TYPE, "b")))
        .isEqualTo(new OutboxScore(2, 3, 0, 1, 2, 3));
  }

  @Test
  void the_events_of_two_effects_of_one_payment_are_two() {
    assertThat(OutboxScore.of(Tally.of(List.of("a", "a")), List.of(event("1", "a")), 3).written())
        .isEqualTo(2);
  }

  private static OutboxScore score(Arrival... arrivals) {
    return OutboxScore.of(EFFECTS, List.of(arrivals), 3);
  }

  private static Arrival event(String id, String payment) {
    return new Arrival(id, Confirmation.TYPE, Confirmation.body(payment));
  }
}
