package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * One logical id in a header, sent as text, int, long, short, byte, double, decimal and bytes; the
 * same for a truth value, a time, a list and a map; each kind twice. Right: one effect for each
 * logical id, whatever the producer's library made of it; near misses stay apart.
 */
class F20_HeaderTypesTest extends WorkerTest {

  private static final String HEADER = "order-id";

  F20_HeaderTypesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneLogicalIdIsOneEffect() throws IOException, SQLException {
    Map<String, List<Object>> sent = new LinkedHashMap<>();
    sent.put(
        "42",
        List.of(
            "42",
            42,
            42L,
            (short) 42,
            (byte) 42,
            42.0d,
            42.0f,
            new BigDecimal("42.00"),
            "42".getBytes(StandardCharsets.UTF_8)));
    sent.put("9007199254740993", List.of("9007199254740993", 9_007_199_254_740_993L));
    sent.put("0.1", List.of("0.1", 0.1d, 0.1f, new BigDecimal("0.100")));
    sent.put("true", List.of("true", true));
    sent.put(
        "2024-02-29T12:00:00Z",
        List.of("2024-02-29T12:00:00Z", Date.from(Instant.parse("2024-02-29T12:00:00Z"))));
    sent.put("[1,\"1\",null]", List.of("[1,\"1\",null]", listOf(1L, "1", null)));
    sent.put("{\"a\":1,\"b\":2}", List.of(mapOf("a", 1, "b", 2L), mapOf("b", (short) 2, "a", 1L)));
    // Near misses.
    sent.put("042", List.of("042"));
    sent.put("42.5", List.of(42.5d));
    sent.put("43", List.of(43));
    sent.put("-42", List.of(-42));
    sent.put("9007199254740992", List.of(9_007_199_254_740_992L));
    sent.put("True", List.of("True"));
    sent.put("[1,\"1\"]", List.of(List.of(1, "1")));

    List<TestVhost.Publication> all = new ArrayList<>();
    sent.forEach(
        (id, values) -> {
          for (int copy = 0; copy < 2; copy++) {
            values.forEach(value -> all.add(publication(id, value)));
          }
        });
    vhost.publishAll(all);
    WorkerProcess worker = start(worker().header(HEADER));
    awaitQueueEmpty();
    worker.stop();

    for (String id : sent.keySet()) {
      assertThat(ledger.effects(id)).as(id).isEqualTo(1);
      assertThat(
              database.queryLong(
                  "SELECT count(*) FROM semel.processed_messages WHERE message_id = '" + id + "'"))
          .as("stored as the one canonical text: " + id)
          .isEqualTo(1);
    }
    assertThat(ledger.effects()).isEqualTo(sent.size());
    assertThat(ledger.keys()).isEqualTo(sent.size());
    assertThat(ledger.parked()).isZero();
    assertThat(worker.lines().stream().filter(l -> l.contains(" Duplicate")))
        .hasSize(all.size() - sent.size());
  }

  private TestVhost.Publication publication(String label, Object value) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(label)
            .headers(Map.of(HEADER, value))
            .deliveryMode(2)
            .build(),
        "ok".getBytes(StandardCharsets.UTF_8));
  }

  private static List<Object> listOf(Object... values) {
    List<Object> list = new ArrayList<>();
    for (Object value : values) {
      list.add(value);
    }
    return list;
  }

  /** Two entries in this order. */
  private static Map<String, Object> mapOf(String k1, Object v1, String k2, Object v2) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(k1, v1);
    map.put(k2, v2);
    return map;
  }
}
