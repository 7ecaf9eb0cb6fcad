package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A bench of one round with too few messages for its goals. */
final class TinyBench {

  static final @Nullable String AMQP_URI = System.getenv("SEMEL_TEST_AMQP_URI");

  private TinyBench() {}

  /** Asserts that each contender has done its work, and nothing but a goal was missed. */
  static void play(Plan plan) throws Exception {
    List<String> progress = new ArrayList<>();

    BenchResult result = new Bench(plan, progress::add).play();

    assertThat(result.problems()).allMatch(each -> each.startsWith("goal missed"));
    assertThat(progress).hasSameSizeAs(plan.contenders());
    JsonNode json = new ObjectMapper().readTree(result.json());
    for (Contender each : plan.contenders()) {
      assertThat(json.at("/contenders/" + each.name() + "/median").asInt()).isPositive();
    }
    assertThat(json.at("/servers/synchronous_commit").asText()).isEqualTo("on");
  }
}
