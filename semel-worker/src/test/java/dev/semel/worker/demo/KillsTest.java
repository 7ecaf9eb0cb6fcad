package dev.semel.worker.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KillsTest {

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 9, 12, 100})
  void a_third_of_the_kills_hits_each_moment(int number) {
    Plan plan = new Plan(10_000, number, 7, false);
    List<Kill> kills = Contender.SEMEL.kills(plan);

    assertThat(kills).hasSize(number).isEqualTo(Contender.SEMEL.kills(plan));
    for (Moment moment : Moment.values()) {
      long hits = kills.stream().filter(each -> each.moment() == moment).count();
      assertThat(hits * 3).as(moment.name()).isGreaterThanOrEqualTo(number);
    }
    assertThat(Contender.ACK_FIRST.kills(plan))
        .allMatch(each -> each.moment() == Moment.INSIDE_HANDLER);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 9})
  void relays_are_killed_half_as_often_as_workers_and_at_each_of_their_moments(int number) {
    Plan plan = new Plan(10_000, number, 7, false);
    List<RelayKill> kills = RelayKill.of(plan);

    assertThat(kills).hasSize(Math.max(2, (number + 1) / 2)).isEqualTo(RelayKill.of(plan));
    assertThat(kills.stream().map(RelayKill::moment)).contains(RelayMoment.values());
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 300, 2000})
  void the_seeded_share_is_published_twice_with_equal_bytes(int messages) {
    Plan plan = new Plan(messages, 2, 7, false);
    Payments payments = Payments.of(plan);

    assertThat(payments.sentTwice()).hasSize(Math.max(1, messages / 20));
    assertThat(payments.publications()).hasSize(messages + payments.sentTwice().size());
    assertThat(payments.publications().stream().distinct()).hasSize(messages);
    assertThat(payments).isEqualTo(Payments.of(plan));
  }
}
