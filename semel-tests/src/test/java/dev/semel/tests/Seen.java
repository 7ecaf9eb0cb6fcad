package dev.semel.tests;

import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.TestDatabase;
import dev.semel.tests.worker.WorkerProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** What workers printed, and what the server logged about one database. */
final class Seen {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private Seen() {}

  /** Lines of the workers that match as a whole. */
  static long count(String regex, WorkerProcess... workers) {
    return Arrays.stream(workers)
        .flatMap(w -> w.lines().stream())
        .filter(l -> l.matches(regex))
        .count();
  }

  /**
   * Waits until so many messages were told to be settled, which is a moment after the queue is
   * empty.
   */
  static void awaitSettled(long messages, WorkerProcess... workers) {
    Await.until(
        messages + " messages are told to be settled",
        DEADLINE,
        () -> count("SETTLED .*", workers) >= messages);
  }

  /** Errors with this SQLSTATE in the server's log, of sessions in this database. */
  static List<String> inServerLog(PostgresServer server, TestDatabase database, String sqlState) {
    return server
        .serverLog()
        .lines()
        .filter(l -> l.contains("] " + sqlState + " ") && l.contains("@" + database.name() + " "))
        .filter(l -> l.contains(" ERROR: "))
        .toList();
  }
}
