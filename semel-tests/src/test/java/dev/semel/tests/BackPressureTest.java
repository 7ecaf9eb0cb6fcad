package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TcpProxy;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When the source must wait: for the database, for the parked messages, for the broker's limit. */
class BackPressureTest extends WorkerTest {

  BackPressureTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Override
  Map<String, Object> queueArguments() {
    return Map.of("x-queue-type", "quorum");
  }

  /**
   * The line to the database is cut ten times. Right: nothing is counted, parked or given back for
   * it, not ready while it is away, back within 5 s.
   */
  @Test
  void aDatabaseThatFlapsCostsNoDelivery() throws Exception {
    try (TcpProxy line = TcpProxy.postgres(database)) {
      publishAll(keys("k", 200), "sleep 5");
      WorkerProcess worker =
          start(worker().lanes(2).batch(5).prefetch(40).jdbcUrl(database.jdbcUrl(line.port())));
      for (int i = 0; i < 10; i++) {
        int before = i;
        Await.until("work to go on", DEADLINE, () -> ledger.effects() >= 10L * before + 5);
        line.refuse(true);
        line.cutAll();
        worker.awaitLine("^HEALTH down .*database.*");
        line.refuse(false);
        long back = System.nanoTime();
        Await.until(
            "the worker to be ready again",
            DEADLINE,
            () -> {
              List<String> health = new WorkerLines(worker.lines()).starting("HEALTH ");
              return health.get(health.size() - 1).equals("HEALTH up");
            });
        assertThat(System.nanoTime() - back).isLessThan(Duration.ofSeconds(5).toNanos());
      }
      Await.until("all to be applied", DEADLINE, () -> ledger.effects() == 200);
      awaitQueueEmpty();
      assertThat(new WorkerLines(worker.lines()).starting("RETURNS ")).as("returns").isEmpty();
      assertThat(new WorkerLines(worker.lines()).starting("FAILED ")).isEmpty();
      assertThat(textRows("SELECT parked::text FROM semel.books")).isSubsetOf("0");
      assertOnceEach();
      assertThat(ledger.effects()).isEqualTo(200);
    }
  }

  @Test
  void aboveTheParkedLimitTheIntakeStops() throws IOException, SQLException {
    publishAll(keys("bad", 40), "fail-once");
    WorkerProcess worker =
        start(
            worker()
                .lanes(1)
                .batch(5)
                .prefetch(5)
                .parkedLimit(10)
                .pauseMillis(4_000)
                .capMillis(4_000));
    worker.awaitLine("^AWAY PARKED_LIMIT payments .*");
    // At most one window more than the limit, and the rest stays with the broker.
    assertThat(parked("waiting")).isBetween(11L, 20L);
    assertThat(vhost.readyCount(queue)).as("left with the broker").isGreaterThanOrEqualTo(15);
    worker.awaitLine("^HEALTH down .*parked messages wait; nothing new is taken.*");
    worker.awaitLine("^BACK PARKED_LIMIT payments$");
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(40);
  }

  /**
   * A handler takes longer than half of the broker's limit. Right: what waits behind it goes back
   * in time and is applied by another worker meanwhile.
   */
  @Test
  void whatWaitsTooLongGoesBackInTime() throws IOException, SQLException {
    publish("slow", "wait go");
    publishAll(keys("k", 9), "ok");
    WorkerProcess slow =
        start(worker().lanes(1).batch(10).prefetch(10).acknowledgementTimeoutMillis(4_000));
    slow.awaitLine("^ENTERED slow$");
    Await.until("all to be held", DEADLINE, () -> vhost.readyCount(queue) == 0);
    WorkerProcess other = start(worker().lanes(1));
    Await.until("the others to be applied", DEADLINE, () -> ledger.effects() == 9);
    assertThat(new WorkerLines(slow.lines()).of("LEFT", "slow")).isEmpty();
    assertThat(new WorkerLines(other.lines()).starting("ENTERED ")).hasSize(9);
    Files.createFile(history.resolve("go"));
    slow.awaitLine("^LATE .*lower prefetch to .*raise consumer_timeout .*split the task$");
    awaitQueueEmpty();
    assertOnceEach();
  }

  /** An unclean broker flags a whole backlog. Right: no body enters the table for it. */
  @Test
  void aFlaggedBacklogStaysWithTheBroker() throws Exception {
    int backlog = 20_000;
    vhost.deleteQueue(queue);
    queue = vhost.declareQueue(vhost.unique("q"));
    publishAll(keys("k", backlog), "ok");
    AtomicInteger received = new AtomicInteger();
    try (Connection connection = vhost.connect()) {
      Channel channel = connection.createChannel();
      channel.basicConsume(queue, false, (tag, delivery) -> received.incrementAndGet(), tag -> {});
      Await.until("the broker to hand out what it can", DEADLINE, () -> received.get() == backlog);
    }
    long flagged = received.get();
    WorkerProcess worker = start(worker().lanes(2));
    Await.until("all to be applied", Duration.ofMinutes(2), () -> ledger.effects() >= backlog);
    awaitQueueEmpty();
    assertThat(worker.lines().stream().filter(l -> l.endsWith(" redelivered")).count())
        .as("flagged")
        .isEqualTo(flagged);
    assertThat(textRows("SELECT parked::text FROM semel.books")).isSubsetOf("0");
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(backlog);
  }
}
