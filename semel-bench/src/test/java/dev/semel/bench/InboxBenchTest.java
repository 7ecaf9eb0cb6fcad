package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.semel.testkit.Services;
import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class InboxBenchTest {

  private static final int MESSAGES = 1_000;

  /** Too few messages for the goals, enough to see that every contender does its work. */
  @Test
  void every_contender_applies_every_message_once() throws Exception {
    List<String> progress = new ArrayList<>();
    Plan plan = new Plan(MESSAGES, 1, System.getenv("SEMEL_TEST_AMQP_URI"), Contender.of("abcde"));

    BenchResult result = new InboxBench(plan, progress::add).play();

    assertThat(result.problems()).allMatch(each -> each.startsWith("goal missed"));
    assertThat(progress).hasSize(5);
    JsonNode json = new ObjectMapper().readTree(result.json());
    for (Contender each : Contender.values()) {
      assertThat(json.at("/contenders/" + each.letter() + "/median").asInt()).isPositive();
    }
    assertThat(json.at("/servers/synchronous_commit").asText()).isEqualTo("on");
  }

  @Test
  @ExtendWith(Services.class)
  void an_effect_too_many_is_counted(TestDatabase database) throws SQLException {
    try (Connection connection = database.ownerDataSource().getConnection()) {
      Effects.createTables(connection);
      database.executeAsOwner("INSERT INTO effects VALUES ('a', ''), ('b', ''), ('b', '')");

      assertThat(Effects.count(connection)).isEqualTo(new Effects.Count(1, 1));
    }
  }
}
