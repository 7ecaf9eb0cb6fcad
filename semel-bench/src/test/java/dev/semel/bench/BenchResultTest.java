package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

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
    rates(InboxBench.B, 1000, 4000, 1100);
    rates(InboxBench.D, 2749, 10_000, 100);
    rates(InboxBench.C, 10_000);
    rates(InboxBench.E, 7_000);

    assertThat(result("bcde").problems())
        .containsExactly("goal missed: d / b is 2.50, but must be at least 2.50");
  }

  @Test
  void what_did_not_run_is_not_judged() {
    rates(InboxBench.D, 1);

    assertThat(result("d").problems()).isEmpty();
    assertThat(result("d").table()).doesNotContain("goal");
  }

  @Test
  void a_contender_that_lost_is_a_problem_whatever_its_speed() {
    rates(InboxBench.D, 1_000_000);

    assertThat(result("d", "contender d: lost").problems()).containsExactly("contender d: lost");
  }

  @Test
  void json_is_one_object_in_one_line() throws IOException {
    rates(InboxBench.C, 20_000, 30_000);
    rates(InboxBench.E, 12_000, 14_000);

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
  void a_burden_is_judged_beside_none() throws IOException {
    Plan plan = ParkedBench.plan(100, 1_234_567, 1, null);
    rates(plan.contenders().get(0), 10_000);
    rates(plan.contenders().get(1), 7_949);
    BenchResult result = new BenchResult(plan, Map.of(), rates, List.of(), 1.5);

    assertThat(result.problems())
        .containsExactly("goal missed: parked / none is 0.79, but must be at least 0.80");
    assertThat(result.table())
        .contains(
            "none    Semel, Handler, defaults; nothing parked ",
            "parked  Semel, Handler, defaults; 1,234,567 parked ",
            "parked / none  0.79   goal: at least 0.80   MISSED");
    JsonNode json = new ObjectMapper().readTree(result.json());
    assertThat(json.at("/contenders/parked/parked").asInt()).isEqualTo(1_234_567);
    assertThat(json.at("/contenders/none").has("parked")).isFalse();
    assertThat(json.at("/goals/0/ratio").asText()).isEqualTo("parked/none");
    assertThat(json.at("/goals/0/goal").asDouble()).isEqualTo(0.8);
  }

  @Test
  void a_goal_that_is_just_met_is_met() {
    rates(RedeliveryBench.CLEAN, 20_000);
    rates(RedeliveryBench.FLAGGED, 10_000);
    Plan plan = RedeliveryBench.plan(100, 1, null);

    assertThat(new BenchResult(plan, Map.of(), rates, List.of(), 1.5).problems()).isEmpty();
  }

  private void rates(Contender contender, double... perSecond) {
    for (double each : perSecond) {
      rates.add(contender, each);
    }
  }

  private BenchResult result(String only, String... broken) {
    Plan plan = InboxBench.plan(100, 1, null, only);
    return new BenchResult(plan, Map.of("fsync", "on"), rates, List.of(broken), 1.5);
  }
}
