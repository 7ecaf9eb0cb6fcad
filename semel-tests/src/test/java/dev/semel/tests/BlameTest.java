package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.UnavailableException;
import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whose fault an SQL error is: a message's own (slow for ever, poison), the database's (really
 * away), or that of something that all handlers need (a table that is gone). Right: a message's
 * fault stops nobody else; an environment's fault is no attempt of anybody, and work resumes by
 * itself.
 */
class BlameTest extends WorkerTest {

  private static final Duration RESUMES = Duration.ofSeconds(5);
  private static final Duration GOOD_ONES = Duration.ofSeconds(15);
  private static final int PREFETCH = 20;

  BlameTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
    database.executeAsOwner(
        "CREATE TABLE IF NOT EXISTS public.business (id text PRIMARY KEY)",
        "GRANT SELECT, INSERT ON public.business TO " + database.runtimeName());
  }

  @BeforeEach
  void business() throws SQLException {
    database.executeAsOwner(
        "TRUNCATE public.business", "INSERT INTO public.business VALUES ('taken')");
  }

  /** Its error has the SQLSTATE of a server that chokes, again and again. */
  @Test
  void oneSlowMessageStopsNobody() throws IOException, SQLException {
    WorkerProcess worker =
        start(worker().lanes(1).batch(10).statementTimeoutMillis(300).attempts(3));
    publish("slow", "sql SELECT pg_sleep(60)");
    publishAll(keys("beside", 20), "ok");
    worker.awaitLine("FAILED slow 1 .*statement timeout.*");
    awaitSettled(worker, keys("beside", 20), "Applied");
    worker.awaitLine("FAILED slow 2 .*");
    publishAll(keys("later", 20), "ok");
    awaitSettled(worker, keys("later", 20), "Applied");
    worker.awaitLine("FAILED slow 3 .*");
    worker.awaitLine("DIED slow ");
    awaitQueueEmpty();

    assertThat(worker.lines()).noneMatch(l -> l.startsWith("AWAY"));
    assertThat(worker.lines().stream().filter(l -> l.startsWith("FAILED")))
        .allMatch(l -> l.startsWith("FAILED slow "));
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(40);
    assertThat(ledger.parkedRows())
        .singleElement()
        .asString()
        .startsWith("slow|dead|3|0|handler failed|")
        .contains("statement timeout")
        .endsWith("|57014");
  }

  @Test
  void aDatabaseThatIsAwayCountsNoAttempt() throws IOException, SQLException {
    try (PostgresServer server = PostgresServer.start();
        TestDatabase own = server.createDatabase("away")) {
      Ledger there = Ledger.in(own);
      WorkerSpec spec = WorkerSpec.of(kind, own, vhost, queue, history);
      WorkerProcess worker = start(spec.lockTimeoutMillis(60_000));
      Inbox inbox = Semel.builder(own.runtimeDataSource()).build().inbox("by-hand");
      Message byHand = Message.builder().id("by-hand").build();

      // One message is in its handler when the server goes, others wait, others come while it is
      // away.
      Connection gate = own.superConnection();
      try (Statement s = gate.createStatement()) {
        s.execute("SELECT pg_advisory_lock(4711)");
      }
      publish("inside", "sql SELECT pg_advisory_xact_lock(4711)");
      worker.awaitLine("ENTERED inside");
      publishAll(keys("waiting", 20), "ok");
      server.stop();
      worker.awaitLine("AWAY DATABASE .*");
      publishAll(keys("meanwhile", 20), "ok");
      assertThatThrownBy(() -> inbox.process(byHand, Ledger::apply))
          .isInstanceOf(UnavailableException.class);
      server.startAgain();
      long back = System.nanoTime();
      Await.until("all are applied", DEADLINE, () -> there.distinct() == 41);
      assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(RESUMES);
      worker.awaitLine("BACK DATABASE .*");
      awaitQueueEmpty();
      assertThat(inbox.process(byHand, Ledger::apply)).isEqualTo(new Outcome.Applied());

      worker.stop();
      assertThat(worker.lines()).contains("STOPPED").noneMatch(l -> l.startsWith("FAILED"));
      assertThat(there.effects()).isEqualTo(42);
      assertThat(there.distinct()).isEqualTo(42);
      assertThat(there.keys()).isEqualTo(42);
      assertThat(there.parked()).isZero();
    }
  }

  @Test
  void aTableThatIsGoneIsNobodysFault() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(2).batch(1).prefetch(20));
    database.executeAsOwner("ALTER TABLE public.business RENAME TO elsewhere");
    try {
      publishAllNumbered("needs", 8, "sql INSERT INTO public.business VALUES ('%s')");
      worker.awaitLine("AWAY HANDLER_ENVIRONMENT payments .*42P01.*");
    } finally {
      database.executeAsOwner("ALTER TABLE public.elsewhere RENAME TO business");
    }
    awaitSettled(worker, keys("needs", 8), "Applied");
    worker.awaitLine("BACK HANDLER_ENVIRONMENT payments");
    awaitQueueEmpty();

    assertThat(worker.lines().stream().filter(l -> l.startsWith("AWAY"))).hasSize(1);
    assertThat(worker.lines()).as("attempts").noneMatch(l -> l.startsWith("FAILED"));
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(8);
    assertThat(database.queryLong("SELECT count(*) FROM public.business")).isEqualTo(9);
  }

  /** They look like an environment that is away, and are not. */
  @ParameterizedTest(name = "{0} poison messages, {1} lanes, batch {2}")
  @CsvSource({"5, 1, 50", "6, 1, 1", "8, 2, 1"})
  void poisonMessagesInARowDoNotStopTheGoodOnes(int poison, int lanes, int batch)
      throws IOException, SQLException {
    WorkerProcess worker =
        start(worker().lanes(lanes).batch(batch).prefetch(PREFETCH).lockTimeoutMillis(30_000));
    warmUp(worker);
    whileLanesWait(
        lanes,
        () -> {
          publishAll(keys("poison", poison), "sql INSERT INTO public.business VALUES ('taken')");
          publishAllNumbered("good", 30, "sql INSERT INTO public.business VALUES ('%s')");
          Await.until(
              "as many as can be are delivered",
              DEADLINE,
              () -> vhost.readyCount(queue) == poison + 30 - (PREFETCH - lanes));
        });
    long start = System.nanoTime();
    awaitSettled(worker, keys("good", 30), "Applied");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(GOOD_ONES);
    keys("poison", poison).forEach(k -> worker.awaitLine("^ENTERED " + k + "$"));
    // Their own failures, or, where no good one came between them, taken for the environment's.
    worker.awaitLine("FAILED poison-.*business_pkey|AWAY HANDLER_ENVIRONMENT payments .*23505");

    assertOnceEach();
    int others = WARM + lanes;
    assertThat(ledger.effects()).isEqualTo(30 + others);
    assertThat(ledger.keys()).isEqualTo(30 + others);
    assertThat(ledger.parkedRows()).allMatch(row -> row.matches("(?s)poison-.*\\|23505"));
  }

  /** Bodies with a number of their own. */
  private void publishAllNumbered(String prefix, int count, String body) throws IOException {
    List<TestVhost.Publication> all = new ArrayList<>();
    keys(prefix, count).forEach(k -> all.add(publication(k, body.formatted(k))));
    publishPrepared(all);
  }

  private static void awaitSettled(WorkerProcess worker, List<String> keys, String outcome) {
    Await.until(
        keys.get(0) + " and its like are " + outcome,
        DEADLINE,
        () -> {
          List<String> lines = worker.lines();
          return keys.stream()
              .allMatch(
                  k -> lines.stream().anyMatch(l -> l.startsWith("SETTLED " + k + " " + outcome)));
        });
  }
}
