package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Verdict;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * A handler stores its effect, then runs a statement that fails, swallows the error and returns.
 * Right: the message has failed; no effect, no key, and it runs again, from the parked messages or
 * from the broker, as the consumer's policy has it.
 */
class F05_SwallowedErrorTest extends WorkerTest {

  private static final String SWALLOWS = "swallow INSERT INTO public.later VALUES (1)";

  F05_SwallowedErrorTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void isDeadInTheEndAndSaysWhy() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).attempts(2));
    publish("k", SWALLOWS);
    publishAll(keys("fine", 10), "ok");
    worker.awaitLine("SWALLOWED 42P01");
    worker.awaitLine("DIED k |SETTLED k (Applied|Duplicate)");
    worker.awaitLine("SETTLED fine-9");
    awaitQueueEmpty();

    assertThat(ledger.effects("k")).isZero();
    assertThat(Seen.count("FAILED k .*", worker)).isEqualTo(2);
    Verdict verdict = assertOnceEach();
    assertThat(verdict.balance().parked()).isEqualTo(1);
    assertThat(verdict.balance().queued()).isZero();
    assertThat(ledger.effects()).isEqualTo(10);
    assertThat(ledger.keys()).isEqualTo(10);
    assertThat(ledger.parkedRows())
        .singleElement()
        .asString()
        .startsWith("k|dead|2|0|handler failed|")
        .contains("TransactionMisuseException|handler swallowed an SQL error")
        .endsWith("|25P02");
  }

  @Test
  void staysWithTheBrokerIfTheConsumerWantsIt() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).requeue());
    publish("k", SWALLOWS);
    publishAll(keys("fine", 10), "ok");
    worker.awaitLine("SWALLOWED 42P01");
    worker.awaitLine("FAILED k 2|SETTLED k");
    worker.awaitLine("SETTLED fine-9");
    Await.until(
        "the broker holds no more than what fails",
        DEADLINE,
        () -> broker.messageCount(vhost.name(), queue) <= 1);

    assertThat(ledger.effects("k")).isZero();
    Verdict verdict = assertOnceEach();
    assertThat(verdict.balance().queued()).isEqualTo(1);
    assertThat(ledger.effects()).isEqualTo(10);
    assertThat(ledger.keys()).isEqualTo(10);
    assertThat(ledger.parked()).isZero();
  }

  @Test
  void isAppliedOnceTheReasonIsGone() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1));
    publish("k", SWALLOWS);
    String failed = worker.awaitLine("FAILED k 2|SETTLED k (Applied|Duplicate)");
    database.executeAsOwner(
        "CREATE TABLE public.later (n int)",
        "GRANT INSERT ON public.later TO " + database.runtimeName());
    try {
      awaitQueueEmpty();
      worker.awaitLine("SETTLED k Applied");
      assertOnceEach();
      assertThat(failed).contains("swallowed an SQL error");
      assertThat(ledger.effects("k")).isEqualTo(1);
      assertThat(database.queryLong("SELECT count(*) FROM public.later")).isEqualTo(1);
      assertThat(Seen.count("SETTLED k Applied.*", worker)).isEqualTo(1);
      assertThat(Seen.count("SETTLED k Parked.*", worker)).isEqualTo(1);
      assertThat(Seen.count("SETTLED .*", worker)).isEqualTo(2);
      assertThat(ledger.parked()).isZero();
    } finally {
      database.executeAsOwner("DROP TABLE public.later");
    }
  }

  /**
   * With a savepoint around each statement the error costs only itself: nothing is to be refused.
   */
  @Test
  void withTheDriversSavepointsTheEffectIsGood() throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).jdbcUrl(autosaving(database.jdbcUrl())));
    publish("k", SWALLOWS);
    publish("k", SWALLOWS);
    awaitQueueEmpty();
    Seen.awaitSettled(2, worker);
    assertOnceEach();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(Seen.count("SWALLOWED 42P01", worker)).isEqualTo(1);
    assertThat(Seen.count("SETTLED k Duplicate.*", worker)).isEqualTo(1);
    assertThat(Seen.count("FAILED .*", worker)).isZero();
  }

  private static String autosaving(String url) {
    return url + (url.contains("?") ? "&" : "?") + "autosave=always";
  }
}
