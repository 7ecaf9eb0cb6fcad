package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Outgoing;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A row with a routing key that no queue is bound with: the broker returns it and confirms it.
 * Right: it is not taken for sent, the error says so, and it leaves once the queue is bound.
 */
class F38_UnroutableTest extends OutboxScene {

  F38_UnroutableTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void whatIsReturnedIsNotSent() throws Exception {
    add(Outgoing.to("amq.direct", "unbound").body("waits"));
    addBodies(bodies("other", 50));
    startRelay();
    awaitRow("attempts >= 2 AND last_error LIKE 'unroutable%'");
    Await.until("the others have left", DEADLINE, () -> pending() == 1);
    onChannel(c -> c.queueBind(out, "amq.direct", "unbound"));
    awaitOutboxEmpty();
    List<String> all = new ArrayList<>(bodies("other", 50));
    all.add("waits");
    assertOnceEach(all);
    assertThat(arrived().get(50).message().getProps().getHeaders().get("semel-attempt"))
        .isNotEqualTo(1);
  }
}
