package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Services;
import dev.semel.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class InboxBenchTest {

  private static final int MESSAGES = 1_000;

  /** Too few messages for the goals, enough to see that every contender does its work. */
  @Test
  void every_contender_applies_every_message_once() throws Exception {
    TinyBench.play(InboxBench.plan(MESSAGES, 1, TinyBench.AMQP_URI, "abcde"));
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
