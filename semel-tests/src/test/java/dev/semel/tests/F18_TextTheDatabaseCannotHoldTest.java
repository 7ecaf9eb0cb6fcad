package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.LongStringHelper;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Ids, bodies, headers and properties with NUL, escaped NUL, a lone surrogate, bytes that are not
 * UTF-8, all in one batch with good messages. Right: a bad id is parked with its reason, a bad body
 * is applied or, where it conflicts, parked byte for byte; the neighbours run once, in one
 * delivery.
 */
class F18_TextTheDatabaseCannotHoldTest extends WorkerTest {

  private static final String HEADER = "order";

  /** What PostgreSQL's text, json or jsonb refuse, each in its own way. */
  private static final List<byte[]> BODIES =
      List.of(
          utf8("a\0b"),
          utf8("{\"a\":\"\\u0000\"}"),
          utf8("{\"a\":\"\\\\u0000\"}"),
          utf8("{\"a\":\"\\ud800\"}"),
          new byte[] {'x', (byte) 0xed, (byte) 0xa0, (byte) 0x80, 0, (byte) 0xff},
          new byte[0]);

  F18_TextTheDatabaseCannotHoldTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void unusableIdsAreParkedAndNeighboursRunOnce() throws IOException, SQLException {
    List<Object> bad = new ArrayList<>();
    bad.add("a\0b");
    bad.add("\0");
    bad.add("a\uFFFDb");
    bad.add(LongStringHelper.asLongString(new byte[] {'a', (byte) 0xed, (byte) 0xa0, (byte) 0x80}));
    bad.add(new byte[] {'a', (byte) 0xff});
    List<TestVhost.Publication> mixed = new ArrayList<>();
    for (int i = 0; i < bad.size(); i++) {
      mixed.add(withHeader("good-" + i, "good-" + i, utf8("ok")));
      mixed.add(withHeader("bad-" + i, bad.get(i), BODIES.get(i)));
    }
    WorkerProcess worker = start(worker().lanes(1).header(HEADER).lockTimeoutMillis(30_000));
    for (String key : keys("warm", WARM)) {
      vhost.publishAll(List.of(withHeader(key, key, utf8("ok"))));
      worker.awaitLine("SETTLED " + key + " Applied.*");
    }
    HeldLanes.hold(
        database,
        List.of("held"),
        key -> vhost.publishAll(List.of(withHeader(key, key, utf8("ok")))),
        () -> {
          vhost.publishAll(mixed);
          Await.until("all to be prefetched", DEADLINE, () -> vhost.readyCount(queue) == 0);
        });
    awaitQueueEmpty();
    worker.stop();
    assertThat(Seen.count("SETTLED .* batch=" + mixed.size(), worker)).isEqualTo(mixed.size());

    for (int i = 0; i < bad.size(); i++) {
      String good = "good-" + i;
      assertThat(ledger.effects(good)).isEqualTo(1);
      assertThat(worker.lines().stream().filter(l -> l.equals("ENTERED " + good))).hasSize(1);
      assertThat(ledger.effects("bad-" + i)).isZero();
    }
    assertThat(worker.lines()).noneMatch(l -> l.startsWith("FAILED") || l.startsWith("AWAY"));
    assertThat(ledger.keys()).isEqualTo(WARM + 1 + bad.size());
    assertThat(ledger.parked("unusable id: header order has a NUL in it")).isEqualTo(2);
    assertThat(ledger.parked("unusable id: header order is not UTF-8")).isEqualTo(3);
    assertThat(parkedBodies("message_id IS NULL"))
        .containsExactlyInAnyOrderElementsOf(BODIES.subList(0, bad.size()));
  }

  /** As ids of the broker's own property, too. */
  @Test
  void aNulInTheMessageIdIsParked() throws IOException, SQLException {
    WorkerProcess worker = start(worker());
    vhost.publish(queue, "a\0b", "ok");
    publish("good", "ok");
    worker.awaitLine("SETTLED null Parked.*NUL.*");
    worker.awaitLine("SETTLED good Applied.*");
    awaitQueueEmpty();
    assertThat(ledger.effects()).isEqualTo(1);
    assertThat(ledger.parked("unusable id: message-id has a NUL in it")).isEqualTo(1);
  }

  @Test
  void bodiesAndHeadersAreAppliedOrKeptByteForByte() throws IOException, SQLException {
    List<TestVhost.Publication> first = new ArrayList<>();
    List<TestVhost.Publication> conflicting = new ArrayList<>();
    for (int i = 0; i < BODIES.size(); i++) {
      first.add(nasty("as-effect-" + i, BODIES.get(i)));
      first.add(nasty("as-conflict-" + i, utf8("ok")));
      conflicting.add(nasty("as-conflict-" + i, BODIES.get(i)));
    }
    WorkerProcess worker = start(worker().lanes(1).lockTimeoutMillis(30_000));
    warmUp(worker);
    for (List<TestVhost.Publication> batch : List.of(first, conflicting)) {
      whileLanesWait(
          1,
          () -> {
            publishPrepared(batch);
            Await.until("all to be prefetched", DEADLINE, () -> vhost.readyCount(queue) == 0);
          });
      awaitQueueEmpty();
    }
    worker.stop();
    for (List<?> batch : List.of(first, conflicting)) {
      assertThat(Seen.count("SETTLED as-.* batch=" + batch.size(), worker)).isEqualTo(batch.size());
    }
    assertThat(worker.lines())
        .contains("STOPPED")
        .noneMatch(l -> l.startsWith("FAILED") || l.startsWith("AWAY"));

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(2L * BODIES.size() + WARM + 2);
    assertThat(ledger.parked("conflict%")).isEqualTo(BODIES.size());
    assertThat(parkedBodies("message_id LIKE 'as-conflict-%'"))
        .containsExactlyInAnyOrderElementsOf(BODIES);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.parked_messages"
                    + " WHERE strpos(headers::text, '\"v\":\"x\\u0000y\"') > 0"
                    + " AND strpos(headers::text, '\\ud83d\\ude00') > 0"
                    + " AND strpos(properties::text, '\"correlation-id\":\"c\\u0000d\"') > 0"))
        .as("headers that jsonb would refuse are there, escaped")
        .isEqualTo(BODIES.size());
  }

  private TestVhost.Publication withHeader(String label, Object id, byte[] body) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(label)
            .headers(Map.of(HEADER, id))
            .deliveryMode(2)
            .build(),
        body);
  }

  private TestVhost.Publication nasty(String id, byte[] body) {
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put("nul", "x\0y");
    headers.put("surrogate", "\ud83d\ude00");
    headers.put("raw", new byte[] {0, (byte) 0xff});
    headers.put("list", List.of("\0", 1L, Map.of("k", "\0")));
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(id)
            .correlationId("c\0d")
            .headers(headers)
            .deliveryMode(2)
            .build(),
        body);
  }

  private List<byte[]> parkedBodies(String where) throws SQLException {
    List<byte[]> bodies = new ArrayList<>();
    try (Connection c = database.superConnection();
        PreparedStatement s =
            c.prepareStatement("SELECT body FROM semel.parked_messages WHERE " + where);
        ResultSet r = s.executeQuery()) {
      while (r.next()) {
        bodies.add(r.getBytes(1));
      }
    }
    return bodies;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
