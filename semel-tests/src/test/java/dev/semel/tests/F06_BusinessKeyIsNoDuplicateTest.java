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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A handler hits a unique key of a business table, at its statement or at the commit; the table and
 * the key have the names of Semel's own. Right: a failure, not a duplicate: no effect, never
 * acknowledged, it comes again, and its neighbours are applied.
 */
class F06_BusinessKeyIsNoDuplicateTest extends WorkerTest {

  F06_BusinessKeyIsNoDuplicateTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @BeforeEach
  void businessTables() throws SQLException {
    database.executeAsOwner(
        "CREATE TABLE public.processed_messages_0 (consumer text, message_id text,"
            + " CONSTRAINT processed_messages_0_pkey PRIMARY KEY (consumer, message_id))",
        "INSERT INTO public.processed_messages_0 VALUES ('payments', 'taken')",
        "CREATE TABLE public.at_commit (k text UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        "INSERT INTO public.at_commit VALUES ('taken')",
        "GRANT SELECT, INSERT ON public.processed_messages_0, public.at_commit TO "
            + database.runtimeName());
  }

  @AfterEach
  void noBusinessTables() throws SQLException {
    database.executeAsOwner("DROP TABLE public.processed_messages_0, public.at_commit");
  }

  @Test
  void atTheStatement() throws IOException, SQLException {
    failsAndComesAgain("sql INSERT INTO public.processed_messages_0 VALUES ('payments', 'taken')");
  }

  @Test
  void atTheCommit() throws IOException, SQLException {
    failsAndComesAgain("sql INSERT INTO public.at_commit VALUES ('taken')");
  }

  private void failsAndComesAgain(String collides) throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1));
    publish("before", "ok");
    publish("k", collides);
    publishAll(keys("fine", 10), "ok");
    String again = worker.awaitLine("FAILED k 2|SETTLED k");
    worker.awaitLine("SETTLED fine-9");
    Await.until(
        "the broker holds no more than what fails",
        DEADLINE,
        () -> broker.messageCount(vhost.name(), queue) <= 1);

    assertThat(ledger.effects("k")).isZero();
    Verdict verdict = assertOnceEach();
    assertThat(again).contains("duplicate key value");
    assertThat(verdict.balance().queued()).isEqualTo(1);
    assertThat(verdict.balance().duplicates()).isZero();
    assertThat(ledger.effects()).isEqualTo(11);
    assertThat(ledger.keys()).isEqualTo(11);
    assertThat(ledger.parked()).isZero();
  }
}
