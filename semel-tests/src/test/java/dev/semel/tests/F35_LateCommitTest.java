package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A inserts a row and holds its transaction; B inserts one behind it and commits, and that leaves;
 * A commits. Right: the first one leaves too, within two looks, although its id is lower.
 */
class F35_LateCommitTest extends OutboxScene {

  F35_LateCommitTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aRowThatCommitsLateIsSeenBehindThePlace() throws Exception {
    try (Connection late = dataSource().getConnection()) {
      late.setAutoCommit(false);
      UUID first = semel().outbox().add(late, toOut("late").build());
      for (String body : bodies("early", 200)) {
        add(toOut(body));
      }
      startRelay(settings().relayPoll(Duration.ofMillis(500)), step -> {});
      awaitArrived(200);
      late.commit();
      long committed = System.nanoTime();
      awaitArrived(201);
      assertThat(Duration.ofNanos(System.nanoTime() - committed)).isLessThan(Duration.ofSeconds(5));
      assertThat(arrived().get(200).id()).isEqualTo(first.toString());
    }
    awaitOutboxEmpty();
    assertThat(arrived()).hasSize(201);
  }
}
