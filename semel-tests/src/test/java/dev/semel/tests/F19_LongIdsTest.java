package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Ids in a header: of 200, 201 and 256 bytes, 128 characters of two bytes, 10 kB at random, two
 * that are equal in their first 255 bytes, one that looks like another's digest; each sent twice.
 * Right: one effect each; what is over 200 bytes is stored as a digest of fixed size.
 */
class F19_LongIdsTest extends WorkerTest {

  private static final String HEADER = "order";

  F19_LongIdsTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void longIdsStayApartAndAreStoredAsDigests() throws IOException, SQLException {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("F19_LongIdsTest: -Dsemel.seed=" + seed);
    Map<String, String> ids = new LinkedHashMap<>();
    ids.put("200 bytes", "b".repeat(200));
    ids.put("201 bytes", "b".repeat(201));
    ids.put("256 bytes", "c".repeat(256));
    ids.put("128 characters", "é".repeat(128));
    ids.put("10 kB", random(new Random(seed), 10_000));
    ids.put("equal start 1", "d".repeat(255) + "1");
    ids.put("equal start 2", "d".repeat(255) + "2");
    ids.put("equal start, short", "d".repeat(200));

    publish(ids);
    WorkerProcess worker = start(worker().header(HEADER));
    awaitQueueEmpty();
    String digest = storedKeyOf(worker, "sha256:[0-9a-f]{64}");
    Map<String, String> forged = Map.of("forged", digest);
    publish(forged);
    awaitQueueEmpty();
    worker.stop();

    List<String> labels = new ArrayList<>(ids.keySet());
    labels.add("forged");
    for (String label : labels) {
      assertThat(ledger.effects(label)).as(label).isEqualTo(1);
    }
    assertThat(ledger.effects()).isEqualTo(labels.size());
    assertThat(ledger.keys()).isEqualTo(labels.size());
    assertThat(ledger.parked()).isZero();
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.processed_messages WHERE message_id ~ '^sha256:[0-9a-f]{64}$'"))
        .isEqualTo(labels.size() - 2);
    assertThat(
            database.queryLong(
                "SELECT max(octet_length(message_id)) FROM semel.processed_messages"))
        .isEqualTo(200);
    assertThat(worker.lines().stream().filter(l -> l.contains(" Duplicate")))
        .hasSize(labels.size());
    assertThat(worker.lines()).noneMatch(l -> l.startsWith("FAILED"));
  }

  /** The broker's own property ends at 255 bytes; that is still too long to be stored as it is. */
  @Test
  void theLongestMessageId() throws IOException, SQLException {
    String longest = "e".repeat(255);
    publish(longest, "ok");
    publish(longest, "ok");
    start(worker());
    awaitQueueEmpty();
    assertThat(ledger.effects(longest)).isEqualTo(1);
    assertThat(ledger.keys()).isEqualTo(1);
  }

  private void publish(Map<String, String> ids) throws IOException {
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int copy = 0; copy < 2; copy++) {
      ids.forEach(
          (label, id) ->
              all.add(
                  new TestVhost.Publication(
                      "",
                      queue,
                      new AMQP.BasicProperties.Builder()
                          .messageId(label)
                          .headers(Map.of(HEADER, id))
                          .deliveryMode(2)
                          .build(),
                      "ok".getBytes(StandardCharsets.UTF_8))));
    }
    vhost.publishAll(all);
  }

  private static String storedKeyOf(WorkerProcess worker, String regex) {
    return worker.awaitLine("SETTLED " + regex + " Applied.*").split(" ")[1];
  }

  /** Printable, so that no compression can shorten it much. */
  private static String random(Random random, int length) {
    return random
        .ints(length, '!', '~' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
