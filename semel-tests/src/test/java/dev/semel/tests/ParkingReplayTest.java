package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.Message;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Parking.Done;
import dev.semel.Parking.Result;
import dev.semel.RetryPolicy;
import dev.semel.Selection;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A dead message can be looked at and runs again, byte for byte what the producer sent; a waiting
 * one runs at once. Right: one effect each, and an audit that says who, when, why and what.
 */
class ParkingReplayTest extends ParkingScene {

  private static final Instant STAMP = Instant.parse("2026-01-05T10:11:12Z");
  private static final String CONTROLS = "nul \0 tab\t esc\u001b[31m del\u007f csi\u009b \ufeff ";
  private static final String EMOJI = "\ud83d\ude00 \ud83d\udc68\u200d\ud83d\udc69 日本";

  ParkingReplayTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void aDeadMessageRunsAgainByteForByte() throws Exception {
    broken = true;
    startWorker();
    publishPrepared(List.of(everything()));
    ParkedMessage dead = awaitRow("state = 'dead'");
    Message first = runs.get(0);
    assertTypesArrived(first);
    assertSame(parking.message(dead.id()).orElseThrow(), first);
    assertThat(dead.messageKey()).isEqualTo("everything");
    assertThat(dead.reason()).isEqualTo("handler failed");
    assertThat(dead.attempts()).isEqualTo(1);
    assertThat(dead.errorClass()).isEqualTo("java.lang.IllegalStateException");
    assertThat(dead.errorMessage()).isEqualTo("told to fail");
    assertThat(dead.size()).isEqualTo(512);
    assertThat(dead.running()).isFalse();
    assertBooks(1, 0, 0, 0, 0, 1);

    broken = false;
    assertThat(replay(dead)).isEqualTo(Result.REPLAYED);
    awaitQueueEmpty();
    awaitTrue("the row is gone", () -> ledger.parked() == 0);

    assertThat(runs).hasSize(2);
    assertSame(runs.get(1), first);
    assertThat(ledger.effects("everything")).isEqualTo(1);
    assertThat(ledger.keys()).isEqualTo(1);
    assertBooks(1, 1, 0, 0, 0, 0);
    assertThat(audit())
        .containsExactly(
            "ann|parked replay|"
                + dead.id()
                + "|ticket 17|consumer payments, key everything, was dead (handler failed),"
                + " body sha256 "
                + sha256(first.body()));
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE at > clock_timestamp() - interval '1 min'"))
        .isEqualTo(1);

    // What the broker still had of it is a copy.
    publishPrepared(List.of(everything()));
    awaitQueueEmpty();
    assertThat(runs).hasSize(2);
    assertThat(ledger.effects("everything")).isEqualTo(1);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  /** Its attempts begin anew; what it dies of next time is the new reason. */
  @Test
  void aDeadMessageBeginsAnew() throws Exception {
    ParkedMessage dead = dead("k", "x");
    assertThat(replay(dead)).isEqualTo(Result.REPLAYED);
    ParkedMessage waiting = row(dead.id());
    assertThat(waiting.state()).isEqualTo("waiting");
    assertThat(waiting.attempts()).isZero();
    assertThat(waiting.reason()).isEqualTo("replayed: ticket 17");
    assertBooks(1, 0, 0, 0, 1, 0);
    // Ordered twice is due twice, and runs once.
    assertThat(replay(dead)).isEqualTo(Result.REPLAYED);

    broken = true;
    startWorker(
        consumer()
            .retry(RetryPolicy.builder().attempts(2).firstPause(Duration.ofMillis(10)).build()));
    ParkedMessage again = awaitRow("state = 'dead'");
    assertThat(again.id()).isEqualTo(dead.id());
    assertThat(again.attempts()).isEqualTo(2);
    assertThat(again.reason()).isEqualTo("handler failed");
    assertThat(runs).hasSize(3);
    assertThat(ledger.effects()).isZero();
    assertBooks(1, 0, 0, 0, 0, 1);
  }

  @Test
  void aWaitingMessageIsDueAtOnce() throws Exception {
    broken = true;
    startWorker(
        consumer()
            .retry(
                RetryPolicy.builder()
                    .attempts(3)
                    .firstPause(Duration.ofHours(1))
                    .cap(Duration.ofHours(2))
                    .build()));
    publish("k", "x");
    ParkedMessage waiting = awaitRow("state = 'waiting'");
    assertThat(waiting.attempts()).isEqualTo(1);
    assertThat(waiting.nextAttemptAt()).isAfter(Instant.now().plusSeconds(1800));

    assertThat(replay(waiting)).isEqualTo(Result.REPLAYED);
    awaitTrue("it has run again", () -> runs.size() == 2);
    awaitTrue("it waits again", () -> !row(waiting.id()).running());
    assertThat(row(waiting.id()).attempts()).isEqualTo(2);
    assertThat(runs).hasSize(2);

    broken = false;
    awaitTrue("it is let go", () -> replay(row(waiting.id())) == Result.REPLAYED);
    awaitTrue("it is applied", () -> ledger.parked() == 0);
    assertThat(runs).hasSize(3);
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  @Test
  void aSelectionMeansWhatItSays() throws Exception {
    broken = true;
    startWorker();
    List<String> keys = keys("k", 6);
    for (String key : keys) {
      publish(key, "body of " + key);
      awaitRow("message_id = '" + key + "'");
    }
    stopWorker();
    broken = false;
    assertThat(of(parking.list(Selection.any()))).isEqualTo(keys);
    assertThat(of(parking.list(Selection.any().limit(2)))).containsExactly("k-0", "k-1");
    assertThat(parking.list(Selection.any().consumer("nobody"))).isEmpty();
    assertThat(parking.list(Selection.any().state("waiting"))).isEmpty();
    assertThat(parking.list(Selection.any().reason("% failed"))).isEmpty();
    assertThat(parking.list(Selection.any().reason("dler f"))).hasSize(6);
    assertThat(parking.list(Selection.any().olderThan(Duration.ofHours(1)))).isEmpty();
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET first_seen = first_seen - interval '2 hours'"
            + " WHERE message_id IN ('k-1', 'k-4')");
    Selection old = Selection.any().consumer(CONSUMER).olderThan(Duration.ofHours(1));
    assertThat(of(parking.list(old))).containsExactly("k-1", "k-4");

    UUID nobody = new UUID(1, 2);
    List<Done> done =
        parking.replay(Selection.of(List.of(nobody, row("k-1").id())), Parking.Replay.PLAIN, ORDER);
    assertThat(done)
        .containsExactlyInAnyOrder(
            new Done(nobody, "", null, Result.GONE),
            new Done(row("k-1").id(), CONSUMER, "k-1", Result.REPLAYED));
    assertThat(parking.discard(old.state("dead"), ORDER))
        .extracting(Done::messageKey, Done::result)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("k-4", Result.DISCARDED));
    assertBooks(6, 0, 0, 1, 1, 4);
    assertThat(parking.replay(Selection.any().limit(3), Parking.Replay.PLAIN, ORDER)).hasSize(3);
    runAll();

    assertThat(textRows("SELECT k FROM public.effects ORDER BY k"))
        .containsExactly("k-0", "k-1", "k-2", "k-3");
    assertThat(of(parking.list(Selection.any()))).containsExactly("k-5");
    assertBooks(6, 4, 0, 1, 0, 1);
  }

  /** A dead one goes to the end of its ordering key; what waits is not overtaken. */
  @Test
  void aDeadMessageGoesBehindThoseThatWait() throws Exception {
    vhost.deleteQueue(queue);
    queue = vhost.declareQueue(vhost.unique("q"), Map.of("x-single-active-consumer", true));
    var patient = RetryPolicy.builder().attempts(2).firstPause(Duration.ofHours(1));
    var retry = patient.cap(Duration.ofHours(2)).build();
    broken = true;
    startWorker(
        consumer()
            .orderingKey(m -> m.headerText("account"))
            .permanentOn(IllegalStateException.class)
            .retry(retry));
    publishOrdered("m-1", "a");
    ParkedMessage dead = awaitRow("state = 'dead'");
    stopWorker();
    startWorker(consumer().orderingKey(m -> m.headerText("account")).retry(retry));
    publishOrdered("m-2", "a");
    ParkedMessage second = awaitRow("message_id = 'm-2' AND state = 'waiting'");
    broken = false;

    assertThat(replay(dead)).isEqualTo(Result.REPLAYED);
    publishOrdered("m-3", "a");
    awaitRow("message_id = 'm-3' AND state = 'waiting'");
    publishOrdered("other", "b");
    awaitTrue("another key flows", () -> ledger.effects("other") == 1);
    assertThat(ledger.effects()).isEqualTo(1);

    assertThat(replay(second)).isEqualTo(Result.REPLAYED);
    awaitQueueEmpty();
    assertThat(textRows("SELECT k FROM public.effects WHERE k <> 'other' ORDER BY at"))
        .containsExactly("m-2", "m-1", "m-3");
    assertBooks(3, 3, 0, 0, 0, 0);
  }

  private void publishOrdered(String key, String account) throws Exception {
    publishPrepared(
        List.of(
            new TestVhost.Publication(
                "",
                queue,
                new AMQP.BasicProperties.Builder()
                    .messageId(key)
                    .headers(Map.of("account", account))
                    .deliveryMode(2)
                    .build(),
                key.getBytes(StandardCharsets.UTF_8))));
  }

  private ParkedMessage row(String key) {
    return parking.list(Selection.any()).stream()
        .filter(r -> key.equals(r.messageKey()))
        .findAny()
        .orElseThrow();
  }

  private static List<String> of(List<ParkedMessage> rows) {
    return rows.stream().map(ParkedMessage::messageKey).toList();
  }

  /** Every property, a header of every type, and a body of every byte, twice. */
  private TestVhost.Publication everything() {
    byte[] body = new byte[512];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) i;
    }
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId("everything")
            .type("type " + EMOJI)
            .contentType("application/octet-stream")
            .contentEncoding("gzip")
            .correlationId("correlation \0 " + EMOJI)
            .replyTo("reply to")
            .expiration("3600000")
            .priority(7)
            .deliveryMode(2)
            .appId("app")
            .userId(URI.create(vhost.amqpUri()).getUserInfo().split(":")[0])
            .clusterId("cluster")
            .timestamp(Date.from(STAMP))
            .headers(headers())
            .build();
    return new TestVhost.Publication("", queue, properties, body);
  }

  private static Map<String, Object> headers() {
    Map<String, Object> nested = new LinkedHashMap<>(scalars());
    nested.put("deeper", Map.of("list", Arrays.asList(1L, "two", null, List.of())));
    Map<String, Object> headers = new LinkedHashMap<>(scalars());
    headers.put("table", nested);
    headers.put("empty table", Map.of());
    headers.put("list", new ArrayList<>(scalars().values()));
    headers.put(CONTROLS + EMOJI, "a name that nobody expects");
    return headers;
  }

  private static Map<String, Object> scalars() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("string", "text \"quoted\" \\ back");
    all.put("empty", "");
    all.put("controls", CONTROLS);
    all.put("emoji", EMOJI);
    all.put("true", true);
    all.put("false", false);
    all.put("byte", Byte.MIN_VALUE);
    all.put("short", Short.MIN_VALUE);
    all.put("int", Integer.MIN_VALUE);
    all.put("long", Long.MAX_VALUE - 1);
    all.put("float", 0.1f);
    all.put("double", Math.nextUp(0.1));
    all.put("decimal", new BigDecimal("12345.600"));
    all.put("negative", new BigDecimal("-0.01"));
    all.put("timestamp", Date.from(STAMP));
    all.put("bytes", new byte[] {0, -1, -128, 127, 10});
    all.put("null", null);
    return all;
  }

  private static void assertTypesArrived(Message message) {
    Map<String, Object> all = message.headers();
    assertThat(all.get("byte")).isEqualTo(Byte.MIN_VALUE);
    assertThat(all.get("short")).isEqualTo(Short.MIN_VALUE);
    assertThat(all.get("int")).isEqualTo(Integer.MIN_VALUE);
    assertThat(all.get("long")).isEqualTo(Long.MAX_VALUE - 1);
    assertThat(all.get("float")).isEqualTo(0.1f);
    assertThat(all.get("double")).isEqualTo(Math.nextUp(0.1));
    assertThat(all.get("decimal")).isEqualTo(new BigDecimal("12345.600"));
    assertThat(all.get("timestamp")).isEqualTo(STAMP);
    assertThat(all.get("bytes")).isEqualTo(new byte[] {0, -1, -128, 127, 10});
    assertThat(all.get("true")).isEqualTo(true);
    assertThat(all.get("controls")).isEqualTo(CONTROLS);
    assertThat(all.get("emoji")).isEqualTo(EMOJI);
    assertThat(all).containsEntry("null", null).hasSize(scalars().size() + 4);
    assertThat(all.get("list"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(scalars().size());
    assertThat(message.properties()).hasSize(11);
  }

  private static void assertSame(Message message, Message first) {
    assertThat(message.id()).isEqualTo(first.id());
    assertThat(message.type()).isEqualTo(first.type());
    assertThat(message.contentType()).isEqualTo(first.contentType());
    assertThat(message.timestamp()).isEqualTo(first.timestamp()).isEqualTo(STAMP);
    assertThat(message.properties()).isEqualTo(first.properties());
    assertThat(message.body()).isEqualTo(first.body());
    assertThat(described(message.headers())).isEqualTo(described(first.headers()));
  }

  /** Value and type in words, arrays by content, in the order in which they came. */
  private static String described(Object value) {
    if (value instanceof Map<?, ?> map) {
      StringBuilder text = new StringBuilder("{");
      map.forEach((k, v) -> text.append(k).append('=').append(described(v)).append(';'));
      return text.append('}').toString();
    } else if (value instanceof List<?> list) {
      return list.stream().map(ParkingReplayTest::described).toList().toString();
    } else if (value instanceof byte[] bytes) {
      return "bytes" + Arrays.toString(bytes);
    }
    return value == null ? "null" : value.getClass().getName() + ":" + value;
  }
}
