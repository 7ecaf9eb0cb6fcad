package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A message that always fails, and one that ends the JVM among neighbours that do no harm. Right: a
 * bounded number of runs with growing pauses, then a dead letter with its reason; at most two
 * deaths and as many more as the policy allows for each poison; one effect for each neighbour,
 * which the broker had to take back at most twice, whatever the queue.
 */
class F28_PoisonTest extends WorkerTest {

  private static final int NEIGHBOURS = 15;
  private static final int MAX_DEATHS = 3;

  F28_PoisonTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void whatAlwaysFailsIsDeadAfterItsAttempts() throws IOException, SQLException {
    publish("poison", "fail");
    publishAll(keys("good", 20), "ok");
    WorkerProcess worker = start(worker().pauseMillis(100).attempts(5));
    worker.awaitLine("^DIED poison handler failed$");
    awaitQueueEmpty();

    WorkerLines lines = new WorkerLines(worker.lines());
    assertThat(lines.of("ENTERED", "poison").size()).as("runs").isBetween(5, 7);
    assertThat(lines.of("FAILED", "poison")).hasSize(5);
    assertThat(vhost.readyCount(queue)).isZero();
    assertThat(
            textRows(
                "SELECT concat_ws('|', state, attempts, deaths, reason, error_class, error_message,"
                    + " last_seen > first_seen + interval '1 second') FROM semel.parked_messages"))
        .containsExactly("dead|5|0|handler failed|java.lang.IllegalStateException|told to fail|t");
    judge().assertGood();
    assertThat(ledger.effects()).isEqualTo(20);
  }

  @ParameterizedTest(name = "{0}, delivery limit {1}, {2} poison")
  @CsvSource({"quorum, 3, 1", "classic, 0, 1", "quorum, 3, 2"})
  void whatKillsItsProcessIsFoundOut(String type, int limit, int poisons)
      throws IOException, SQLException {
    vhost.deleteQueue(queue);
    queue =
        vhost.declareQueue(
            vhost.unique("q"),
            limit == 0 ? Map.of() : Map.of("x-queue-type", type, "x-delivery-limit", limit));
    List<String> keys = new ArrayList<>(keys("good", NEIGHBOURS));
    List<TestVhost.Publication> window = new ArrayList<>();
    for (String key : keys) {
      window.add(publication(key, "ok"));
    }
    List<String> poison = IntStream.range(0, poisons).mapToObj(i -> "poison-" + i).toList();
    for (int i = 0; i < poisons; i++) {
      window.add(4 + 7 * i, publication(poison.get(i), "halt"));
    }
    publishPrepared(window);

    int deaths = 0;
    List<WorkerProcess> all = new ArrayList<>();
    while (deadOrGone(poison) < poisons) {
      assertThat(deaths).isLessThanOrEqualTo(2 + poisons * MAX_DEATHS);
      WorkerProcess worker =
          launch(worker().lanes(1).pauseMillis(50).deaths(MAX_DEATHS).deadLettersTo("letters"));
      all.add(worker);
      Await.until(
          "a death, or the poison to be dead",
          Duration.ofSeconds(30),
          () -> !worker.isAlive() || deadOrGone(poison) == poisons);
      if (!worker.isAlive()) {
        assertThat(worker.waitForExit()).isEqualTo(1);
        deaths++;
      }
    }
    if (!all.get(all.size() - 1).isAlive()) {
      start(worker().lanes(1));
    }
    awaitQueueEmpty();

    assertThat(deaths).as("process deaths").isBetween(MAX_DEATHS, 2 + poisons * MAX_DEATHS);
    assertThat(
            textRows(
                "SELECT concat_ws('|', message_id, state, deaths, reason, body = 'halt')"
                    + " FROM semel.parked_messages ORDER BY message_id"))
        .isEqualTo(
            poison.stream()
                .map(p -> p + "|dead|3|killed its process each time it ran alone|t")
                .toList());
    assertThat(
            textRows(
                "SELECT sent_as || '|' || (headers ->> 'semel-dead-reason') FROM semel.outbox"
                    + " ORDER BY sent_as"))
        .as("letters of the dead, promised as they died")
        .isEqualTo(
            poison.stream().map(p -> p + "|killed its process each time it ran alone").toList());
    judge().assertGood();
    assertThat(ledger.effects()).isEqualTo(NEIGHBOURS);
    for (WorkerProcess worker : all) {
      assertThat(worker.lines())
          .filteredOn(l -> l.startsWith("RETURNS good"))
          .allMatch(l -> l.endsWith(" 1") || l.endsWith(" 2"));
    }
  }

  private long deadOrGone(List<String> poison) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM semel.parked_messages WHERE state = 'dead' AND message_id LIKE 'poison-%'");
  }
}
