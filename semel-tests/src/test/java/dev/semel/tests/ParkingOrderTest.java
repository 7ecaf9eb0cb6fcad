package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import dev.semel.ConfigurationException;
import dev.semel.Consumer;
import dev.semel.Semel;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Order by key on a queue with a single active consumer. Right: the effects of one key are in the
 * order of publication, whatever fails, waits or is killed, with lanes and processes beside each
 * other; other keys flow meanwhile; a dead message lets its key go on; a hot key finds its way
 * back.
 */
class ParkingOrderTest extends WorkerTest {

  private static final int MESSAGES = 1000;
  private static final int KEYS = 50;
  private static final int KILLS = 3;

  ParkingOrderTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Override
  Map<String, Object> queueArguments() {
    return Map.of("x-single-active-consumer", true);
  }

  private WorkerSpec ordered() {
    return worker().orderedBy("key").lanes(4).pauseMillis(50);
  }

  private TestVhost.Publication message(String id, String key, String body) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(id)
            .deliveryMode(2)
            .headers(Map.of("key", key))
            .build(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  /** Two processes, one active at a time; every 17th message fails twice; three kills. */
  @Test
  void theOrderOfEachKeySurvivesFailuresAndKills() throws IOException, SQLException {
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      String key = "key-" + i % KEYS;
      all.add(message(key + ":" + i / KEYS, key, i % 17 == 16 ? "fail-times 2" : "sleep 1"));
    }
    publishPrepared(all);
    List<WorkerProcess> running = new ArrayList<>();
    running.add(start(ordered()));
    running.add(start(ordered()));
    for (int kill = 1; kill <= KILLS; kill++) {
      long some = kill * MESSAGES / (KILLS + 2);
      Await.until("some effects", DEADLINE, () -> ledger.effects() > some);
      WorkerProcess active = Await.value("who is active", DEADLINE, () -> active(running));
      active.kill();
      running.remove(active);
      running.add(launch(ordered()));
    }
    awaitQueueEmpty();

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(MESSAGES);
    assertInOrder();
  }

  /** The last one that took over; null while none has. */
  private static WorkerProcess active(List<WorkerProcess> running) {
    return running.stream()
        .filter(w -> !new WorkerLines(w.lines()).starting("ENTERED ").isEmpty())
        .reduce((a, b) -> b)
        .orElse(null);
  }

  private void assertInOrder() throws SQLException {
    Map<String, Integer> seen = new HashMap<>();
    for (String k : textRows("SELECT k FROM public.effects ORDER BY at")) {
      String key = k.substring(0, k.indexOf(':'));
      int n = Integer.parseInt(k.substring(k.indexOf(':') + 1));
      assertThat(n)
          .as("number of %s after those before it", k)
          .isEqualTo(seen.getOrDefault(key, 0));
      seen.put(key, n + 1);
    }
  }

  /**
   * One key waits for its retry, the other flows; the backlog of the first one then runs in batches
   * and new messages of it take the fast path again.
   */
  @Test
  void aHotKeyWaitsAndFindsItsWayBack() throws IOException, SQLException {
    List<TestVhost.Publication> all = new ArrayList<>();
    all.add(message("hot:0", "hot", "fail-times 1"));
    for (int i = 1; i < 200; i++) {
      all.add(message("hot:" + i, "hot", "ok"));
    }
    for (int i = 0; i < 20; i++) {
      all.add(message("other:" + i, "other", "ok"));
    }
    publishPrepared(all);
    WorkerProcess worker = start(ordered().pauseMillis(2_000));
    Await.until(
        "the other key to flow",
        DEADLINE,
        () ->
            database.queryLong("SELECT count(*) FROM public.effects WHERE k LIKE 'other:%'") == 20);
    assertThat(ledger.effects("hot:0")).as("while the hot key waits").isZero();
    Await.until("all to be applied", DEADLINE, () -> ledger.effects() == 220);
    awaitQueueEmpty();
    publishPrepared(List.of(message("hot:200", "hot", "ok")));
    worker.awaitLine("^SETTLED hot:200 Applied.*attempt=1 .*");
    awaitQueueEmpty();

    assertThat(worker.lines())
        .as("the backlog ran in batches")
        .anyMatch(l -> l.matches("SETTLED hot:\\d+ Applied.* batch=(1\\d|[2-9]\\d).*"));
    assertOnceEach();
    assertInOrder();
  }

  @Test
  void aDeadMessageLetsItsKeyGoOnAndSaysSo() throws IOException, SQLException {
    publishPrepared(
        List.of(
            message("a:0", "a", "permanent"),
            message("a:1", "a", "ok"),
            message("a:2", "a", "ok")));
    WorkerProcess worker = start(ordered());
    worker.awaitLine("^DIED a:0 permanent failure: cannot be decoded$");
    Await.until("the others", DEADLINE, () -> ledger.effects() == 2);
    awaitQueueEmpty();
    assertThat(worker.log()).anyMatch(l -> l.contains("later ones of ordering key a go on"));
    judge().assertGood();
  }

  /** A fail-over while the old active consumer is still in its handler: nothing overtakes it. */
  @Test
  void nothingOvertakesAcrossAFailOver() throws IOException, SQLException {
    publishPrepared(
        List.of(
            message("b:0", "b", "wait go"),
            message("b:1", "b", "ok"),
            message("c:0", "c", "ok"),
            message("b:2", "b", "ok")));
    WorkerProcess first = start(ordered().batch(1));
    first.awaitLine("^ENTERED b:0$");
    WorkerProcess second = start(ordered().batch(1));
    broker.closeConnections(vhost.name());
    Await.until("the other key to flow", DEADLINE, () -> ledger.effects("c:0") == 1);
    Await.until("consumers again", DEADLINE, () -> broker.consumerCount(vhost.name(), queue) == 2);
    Await.until("nothing ready", DEADLINE, () -> vhost.readyCount(queue) == 0);
    assertThat(ledger.effects("b:1")).isZero();
    Files.createFile(history.resolve("go"));
    awaitQueueEmpty();
    assertOnceEach();
    assertInOrder();
  }

  /** No ordering key, but a queue that gives its messages to one consumer at a time. */
  @Test
  void aQueueWithASingleActiveConsumerIsOneKey() throws IOException, SQLException {
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(message("q:" + i, "any", i == 20 ? "fail-times 2" : "ok"));
    }
    publishPrepared(all);
    start(worker().lanes(4).pauseMillis(50));
    Await.until("all to be applied", DEADLINE, () -> ledger.effects() == 60);
    awaitQueueEmpty();
    assertOnceEach();
    assertInOrder();
  }

  @Test
  void aQueueThatGivesToSeveralIsRefused() throws IOException {
    String plain = vhost.declareQueue(vhost.unique("plain"));
    Semel semel = Semel.builder(database.runtimeDataSource()).build();
    Consumer consumer =
        Consumer.named("ordered")
            .source(RabbitMq.queue(vhost.amqpUri(), plain))
            .orderingKey(m -> m.headerText("key"))
            .handler((m, tx) -> {})
            .build();
    assertThatThrownBy(() -> semel.start(consumer))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("consumer 'ordered' has an ordering key", plain, "single active");
    vhost.deleteQueue(plain);
  }
}
