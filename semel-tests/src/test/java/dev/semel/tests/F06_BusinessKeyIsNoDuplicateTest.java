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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A handler hits a unique key of a business table, at its statement or at the commit; the table and
 * the key have the names of Semel's own. Right: a failure, not a duplicate: no effect, it runs
 * again and is dead in the end, with the error that it had; or it stays with the broker, as the
 * consumer's policy has it. Its neighbours are applied.
 */
class F06_BusinessKeyIsNoDuplicateTest extends WorkerTest {

  private static final String AT_THE_STATEMENT =
      "sql INSERT INTO public.processed_messages_0 VALUES ('payments', 'taken')";
  private static final String AT_THE_COMMIT = "sql INSERT INTO public.at_commit VALUES ('taken')";

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
    failsAndIsDead(AT_THE_STATEMENT);
  }

  @Test
  void atTheCommit() throws IOException, SQLException {
    failsAndIsDead(AT_THE_COMMIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {AT_THE_STATEMENT, AT_THE_COMMIT})
  void staysWithTheBrokerIfTheConsumerWantsIt(String collides) throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).requeue());
    publishAround(collides);
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
    assertNoDuplicate(verdict);
    assertThat(ledger.parked()).isZero();
  }

  private void failsAndIsDead(String collides) throws IOException, SQLException {
    WorkerProcess worker = start(worker().lanes(1).attempts(2));
    publishAround(collides);
    // The twin settles it, and says no more than that.
    worker.awaitLine("DIED k |SETTLED k$|SETTLED k (Applied|Duplicate)");
    worker.awaitLine("SETTLED fine-9");
    awaitQueueEmpty();

    assertThat(ledger.effects("k")).isZero();
    Verdict verdict = assertOnceEach();
    assertThat(Seen.count("FAILED k .* duplicate key value .*", worker)).isEqualTo(2);
    assertThat(verdict.balance().parked()).isEqualTo(1);
    assertThat(verdict.balance().queued()).isZero();
    assertNoDuplicate(verdict);
    assertThat(ledger.parkedRows())
        .singleElement()
        .asString()
        .startsWith("k|dead|2|0|handler failed|")
        .contains("duplicate key value")
        .endsWith("|23505");
  }

  private void publishAround(String collides) throws IOException {
    publish("before", "ok");
    publish("k", collides);
    publishAll(keys("fine", 10), "ok");
  }

  private void assertNoDuplicate(Verdict verdict) throws SQLException {
    assertThat(verdict.balance().duplicates()).isZero();
    assertThat(ledger.effects()).isEqualTo(11);
    assertThat(ledger.keys()).isEqualTo(11);
  }
}
