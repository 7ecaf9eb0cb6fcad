package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.Message;
import dev.semel.RetryPolicy;
import dev.semel.Tx;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Rows of one ordering key that were leased together, and what stands in their way. Right: none
 * overtakes one that failed, that somebody else has locked, or whose failure is still open.
 */
class ParkingFollowersTest extends ParkingScene {

  final Map<String, AtomicInteger> toFail = new ConcurrentHashMap<>();

  ParkingFollowersTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Override
  Map<String, Object> queueArguments() {
    return Map.of("x-single-active-consumer", true);
  }

  TestVhost.Publication pub(String id, String key) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(id)
            .deliveryMode(2)
            .headers(Map.of("key", key))
            .build(),
        id.getBytes());
  }

  void h(Message m, Tx tx) throws Exception {
    if (broken) {
      throw new SQLException("gone", "42P01");
    }
    AtomicInteger n = toFail.get(m.id());
    if (n != null && n.getAndDecrement() > 0) {
      throw new IllegalStateException("told to fail");
    }
    Ledger.insert(tx, String.valueOf(m.id()), sha256(m.body()));
  }

  @Test
  void followerFails() throws Exception {
    toFail.put("k:00", new AtomicInteger(1));
    toFail.put("k:05", new AtomicInteger(1));
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      all.add(pub(String.format("k:%02d", i), "k"));
    }
    vhost.publishAll(all);
    startWorker(
        consumer()
            .handler(this::h)
            .lanes(1)
            .orderingKey(m -> m.headerText("key"))
            .retry(RetryPolicy.builder().firstPause(Duration.ofSeconds(2)).build()));
    Await.until("all", Duration.ofSeconds(30), () -> ledger.effects() == 12);
    stopWorker();
    List<String> k = textRows("SELECT k FROM public.effects ORDER BY at");
    assertThat(k).isSorted();
  }

  @Test
  void gate() throws Exception {
    broken = true;
    vhost.publishAll(
        List.of(
            pub("k:0", "k"),
            pub("a:0", "a"),
            pub("b:0", "b"),
            pub("c:0", "c"),
            pub("d:0", "d"),
            pub("k:1", "k"),
            pub("k:2", "k"),
            pub("k:3", "k")));
    startWorker(consumer().handler(this::h).lanes(1).orderingKey(m -> m.headerText("key")));
    Await.until(
        "the gate to be closed",
        Duration.ofSeconds(30),
        () -> healthReasons().stream().anyMatch(r -> r.contains("environment")));
    broken = false;
    Await.until("all", Duration.ofSeconds(60), () -> ledger.effects() == 8);
    stopWorker();
    List<String> k = textRows("SELECT k FROM public.effects WHERE k LIKE 'k:%' ORDER BY at");
    assertThat(k).isSorted();
  }

  @Test
  void followerLocked() throws Exception {
    toFail.put("k:00", new AtomicInteger(1));
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      all.add(pub(String.format("k:%02d", i), "k"));
    }
    vhost.publishAll(all);
    startWorker(
        consumer()
            .handler(this::h)
            .lanes(1)
            .orderingKey(m -> m.headerText("key"))
            .retry(RetryPolicy.builder().firstPause(Duration.ofSeconds(4)).build()));
    awaitRow("message_id = 'k:11'");
    try (var c = database.ownerDataSource().getConnection()) {
      c.setAutoCommit(false);
      c.createStatement()
          .execute("SELECT 1 FROM semel.parked_messages WHERE message_id = 'k:05' FOR UPDATE");
      Await.until("those before it", Duration.ofSeconds(30), () -> ledger.effects() >= 5);
      assertThat(ledger.effects()).as("none overtakes the locked one").isEqualTo(5);
      c.rollback();
    }
    Await.until("all", Duration.ofSeconds(30), () -> ledger.effects() == 12);
    stopWorker();
    List<String> k = textRows("SELECT k FROM public.effects ORDER BY at");
    assertThat(k).isSorted();
  }

  /** More of them than the limit allows to wait. */
  @Test
  void messagesRunAloneAboveTheParkedLimit() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    startWorker(
        consumer()
            .handler(
                (m, tx) -> {
                  runs.incrementAndGet();
                  throw new IllegalStateException("told to fail");
                })
            .orderingKey(m -> m.headerText("key"))
            .parkedLimit(3)
            .retry(
                RetryPolicy.builder()
                    .firstPause(Duration.ofHours(1))
                    .cap(Duration.ofHours(1))
                    .build()));
    for (int i = 0; i < 4; i++) {
      vhost.publishAll(List.of(pub("p" + i, "key-" + i)));
      awaitRow("message_id = 'p" + i + "'");
    }
    vhost.publishAll(List.of(pub("waits", "key-9")));
    int before = runs.get();
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET alone = true, next_attempt_at = clock_timestamp()");
    Await.until("each to run alone", Duration.ofSeconds(30), () -> runs.get() >= before + 4);
    stopWorker();
  }
}
