package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchResultTest {

  private final Rates rates = new Rates();

  @Test
  void goals_are_judged_by_medians() {
    rates(Contender.B, 1000, 4000, 1100);
    rates(Contender.D, 2749, 10_000, 100);
    rates(Contender.C, 10_000);
    rates(Contender.E, 7_000);

    assertThat(result("bcde").problems())
        .containsExactly("goal missed: d / b is 2.50, but must be at least 2.50");
  }

  @Test
  void what_did_not_run_is_not_judged() {
    rates(Contender.D, 1);

    assertThat(result("d").problems()).isEmpty();
    assertThat(result("d").table()).doesNotContain("goal");
  }

  @Test
  void a_contender_that_lost_is_a_problem_whatever_its_speed() {
    rates(Contender.D, 1_000_000);

    assertThat(result("d", "contender d: lost").problems()).containsExactly("contender d: lost");
  }

  @Test
  void json_is_one_object_in_one_line() throws IOException {
    rates(Contender.C, 20_000, 30_000);
    rates(Contender.E, 12_000, 14_000);

    String text = result("ce").json();

    assertThat(text).doesNotContain("\n");
    JsonNode json = new ObjectMapper().readTree(text);
    assertThat(json.at("/servers/fsync").asText()).isEqualTo("on");
    assertThat(json.at("/contenders/c/median").asInt()).isEqualTo(25_000);
    assertThat(json.at("/contenders/e/perSecond/1").asInt()).isEqualTo(14_000);
    assertThat(json.at("/goals/0/ratio").asText()).isEqualTo("e/c");
    assertThat(json.at("/goals/0/value").asDouble()).isEqualTo(0.52);
    assertThat(json.at("/goals/0/met").asBoolean()).isFalse();
  }

  @Test
  void contenders_are_named_by_letters() {
    assertThat(Contender.of("db")).containsExactly(Contender.B, Contender.D);
    for (String wrong : List.of("", "f", "dd", "A")) {
      assertThatThrownBy(() -> Contender.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--only");
    }
  }

  private void rates(Contender contender, double... perSecond) {
    for (double each : perSecond) {
      rates.add(contender, each);
    }
  }

  private BenchResult result(String only, String... broken) {
    Plan plan = new Plan(100, 1, null, Contender.of(only));
    return new BenchResult(plan, Map.of("fsync", "on"), rates, List.of(broken), 1.5);
  }
}
