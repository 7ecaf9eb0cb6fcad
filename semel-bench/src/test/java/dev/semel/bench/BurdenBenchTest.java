package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.testkit.Services;
import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class BurdenBenchTest {

  private static final int MESSAGES = 1_000;

  @Test
  void a_flagged_backlog_is_applied_once_and_nothing_parked() throws Exception {
    TinyBench.play(RedeliveryBench.plan(MESSAGES, 1, TinyBench.AMQP_URI));
  }

  @Test
  void parked_messages_are_left_alone() throws Exception {
    TinyBench.play(ParkedBench.plan(MESSAGES, 3_001, 1, TinyBench.AMQP_URI));
  }

  @Test
  @ExtendWith(Services.class)
  void half_of_the_parked_rows_are_dead_and_the_others_far_from_due(TestDatabase database)
      throws SQLException {
    Semel semel = Semel.builder(database.ownerDataSource()).build();
    semel.schema().apply();

    ParkedRows.insert(database, 101);

    assertThat(database.queryLong("SELECT dead FROM semel.books")).isEqualTo(50);
    assertThat(database.queryLong("SELECT off_by FROM semel.books")).isZero();
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.parked_messages WHERE state = 'waiting'"
                    + " AND next_attempt_at > now() + interval '1 day'"))
        .isEqualTo(51);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.parked_messages WHERE length(body) = 200"))
        .isEqualTo(101);
    try (Connection connection = database.ownerDataSource().getConnection()) {
      assertThat(ParkedRows.count(connection)).isEqualTo(new ParkedRows.Count(101, 101));
    }
  }
}
