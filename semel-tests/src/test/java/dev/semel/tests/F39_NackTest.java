package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A queue of length one that rejects what is more: the broker answers with a nack. Right: none is
 * marked sent before its ack, and all have left in the end.
 */
class F39_NackTest extends OutboxScene {

  F39_NackTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void whatIsNackedWaits() throws Exception {
    String small =
        vhost.declareQueue(
            vhost.unique("small"), Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    List<Outgoing> three = new ArrayList<>();
    for (String body : bodies("n", 3)) {
      three.add(Outgoing.to("", small).body(body).build());
    }
    addAll(three);
    startRelay();
    awaitRow("attempts >= 1 AND last_error LIKE '%nack%'");
    List<String> taken = new ArrayList<>();
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (taken.size() < 3 && System.nanoTime() < deadline) {
      // What is in the queue or was taken from it, and what waits, are all there are.
      vhost.drain(small).forEach(m -> taken.add(new String(m.getBody(), StandardCharsets.UTF_8)));
      Thread.sleep(20);
    }
    awaitOutboxEmpty();
    assertThat(taken).containsExactlyInAnyOrder("n-0", "n-1", "n-2");
    vhost.deleteQueue(small);
  }
}
