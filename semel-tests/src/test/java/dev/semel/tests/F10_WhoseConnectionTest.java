package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Verdict;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A handler writes on the handed connection, tries to end its transaction, or writes on a
 * connection of its own; kill -9 right after the write. Right: handed, one effect; ending, refused
 * with a clear error and nothing half-done; its own, the effect is outside the promise and can
 * happen twice, as {@link dev.semel.Handler} says.
 */
class F10_WhoseConnectionTest extends WorkerTest {

  F10_WhoseConnectionTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void theHandedConnection() throws IOException, SQLException {
    killRightAfterTheWrite("say written\nblock");
  }

  @Test
  void endingTheTransactionIsRefused() throws IOException, SQLException {
    List<String> methods = List.of("commit", "rollback", "setAutoCommit", "close", "abort");
    List<TestVhost.Publication> all = new ArrayList<>();
    methods.forEach(m -> all.add(publication(m, "call " + m)));
    keys("fine", 10).forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);
    WorkerProcess worker = start(worker().lanes(1).attempts(2));
    methods.forEach(m -> worker.awaitLine("DIED " + m + " |SETTLED " + m + " (Applied|Dup)"));
    worker.awaitLine("SETTLED fine-9");
    awaitQueueEmpty();

    Verdict verdict = assertOnceEach();
    assertThat(ledger.parkedRows())
        .zipSatisfy(
            methods.stream().sorted(Comparator.comparing(m -> m)).toList(),
            (row, m) ->
                assertThat(row)
                    .startsWith(m + "|dead|2|0|handler failed|")
                    .contains("Connection." + m + " is refused in a handler"));
    methods.forEach(
        m ->
            assertThat(Seen.count("FAILED " + m + " .* is refused in a handler.*", worker))
                .isEqualTo(2));
    assertThat(verdict.balance().parked()).isEqualTo(methods.size());
    assertThat(verdict.balance().queued()).isZero();
    assertThat(verdict.balance().duplicates()).isZero();
    assertThat(ledger.effects()).isEqualTo(10);
    assertThat(ledger.keys()).isEqualTo(10);
  }

  /** Behind the back of the handed connection: refused by the database, and never tried again. */
  @Test
  void endingItBehindOurBackIsParked() throws IOException, SQLException {
    List<String> orders =
        List.of("raw-commit", "sql COMMIT", "sql ROLLBACK", "sql ROLLBACK; BEGIN");
    List<TestVhost.Publication> all = new ArrayList<>();
    orders.forEach(o -> all.add(publication(o, o)));
    keys("fine", 10).forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);
    WorkerProcess worker = start(worker().lanes(1));
    awaitQueueEmpty();
    Seen.awaitSettled(all.size(), worker);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(10);
    assertThat(ledger.effects("fine-9")).isEqualTo(1);
    assertThat(ledger.keys()).isEqualTo(10);
    assertThat(ledger.parked()).isEqualTo(orders.size());
    assertThat(ledger.parked("handler ended the transaction%")).isEqualTo(orders.size());
    assertThat(Seen.count("SETTLED .* Duplicate.*", worker)).isZero();
  }

  @Test
  void aConnectionOfItsOwn() throws IOException, SQLException {
    database.executeAsOwner(
        "CREATE TABLE public.outside (k text)",
        "GRANT INSERT ON public.outside TO " + database.runtimeName());
    try {
      killRightAfterTheWrite("own INSERT INTO public.outside VALUES ('k')\nsay written\nblock");
      assertThat(database.queryLong("SELECT count(*) FROM public.outside")).isEqualTo(2);
    } finally {
      database.executeAsOwner("DROP TABLE public.outside");
    }
  }

  private void killRightAfterTheWrite(String body) throws IOException, SQLException {
    WorkerProcess victim = start(worker().lanes(1));
    publish("k", body);
    victim.awaitLine("SAID k written");
    assertThat(ledger.effects("k")).isZero();
    assertThat(ledger.keys()).isZero();
    victim.kill();
    WorkerProcess next = start(worker().lanes(1).blocksOnce());
    awaitQueueEmpty();
    Seen.awaitSettled(1, victim, next);
    assertOnceEach();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(Seen.count("ENTERED k", victim, next)).isEqualTo(2);
    assertThat(Seen.count("SETTLED k Applied.*", next)).isEqualTo(1);
  }
}
