package dev.semel.tests;

import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Lanes of which each waits in the claim of a message of its own, outside any handler: what is
 * delivered meanwhile stays in their inboxes, and is their next batch. The lock timeout of their
 * worker must be long enough, and its batches must have grown.
 */
final class HeldLanes {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private HeldLanes() {}

  /** Publishes one message. */
  @FunctionalInterface
  interface Publish {
    void message(String key) throws IOException;
  }

  /** What is done while the lanes wait. */
  @FunctionalInterface
  interface Meanwhile {
    void run() throws IOException, SQLException;
  }

  /** Holds as many lanes as there are keys; nothing else may be in the queue. */
  static void hold(TestDatabase database, List<String> keys, Publish publish, Meanwhile meanwhile)
      throws IOException, SQLException {
    try (Connection holder = database.superConnection();
        Statement s = holder.createStatement()) {
      holder.setAutoCommit(false);
      String blocked =
          "SELECT count(*) FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
              .formatted(pid(s));
      for (int i = 0; i < keys.size(); i++) {
        s.execute(
            "INSERT INTO semel.processed_messages_0 VALUES ('%s', '%s', '')"
                .formatted(WorkerTest.CONSUMER, keys.get(i)));
        publish.message(keys.get(i));
        long waiting = i + 1;
        Await.until(
            waiting + " lanes wait in their claim",
            DEADLINE,
            () -> database.queryLong(blocked) == waiting);
      }
      meanwhile.run();
      holder.rollback();
    }
  }

  private static int pid(Statement s) throws SQLException {
    try (ResultSet r = s.executeQuery("SELECT pg_backend_pid()")) {
      r.next();
      return r.getInt(1);
    }
  }
}
