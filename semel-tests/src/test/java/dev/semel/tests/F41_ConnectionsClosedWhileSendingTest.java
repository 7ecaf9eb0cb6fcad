package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Listener;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The broker closes the relay's connections ten times while 5,000 rows leave. Right: each arrives,
 * at most what was on its way at a cut arrives twice under the same id, and nothing is left.
 */
class F41_ConnectionsClosedWhileSendingTest extends OutboxScene {

  F41_ConnectionsClosedWhileSendingTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void eachArrivesWhateverIsCut() throws Exception {
    addBodies(bodies("row", 5000));
    AtomicInteger away = new AtomicInteger();
    startRelay(
        new Listener() {
          @Override
          public void outageBegan(Outage outage) {
            if (outage.kind() == Outage.Kind.DESTINATION) {
              away.incrementAndGet();
            }
          }
        });
    int cuts = 0;
    for (int left = 4900; cuts < 10; left -= 450) {
      long bound = Math.max(left, 0);
      Await.until("some have left", DEADLINE, () -> pending() <= bound || pending() == 0);
      if (pending() == 0) {
        addBodies(bodies("more-" + cuts, 100));
      }
      Await.until("a connection to cut", DEADLINE, () -> broker.closeConnections(vhost.name()) > 0);
      cuts++;
      int seen = cuts;
      Await.until("the cut was seen", DEADLINE, () -> away.get() >= seen);
    }
    awaitOutboxEmpty();
    Map<String, Long> copies = copies();
    assertThat(copies.keySet()).containsAll(bodies("row", 5000));
    assertThat(copies.values().stream().mapToLong(n -> n - 1).sum()).isLessThanOrEqualTo(10 * 2000);
    assertThat(copies.values()).allMatch(n -> n <= 11);
    Map<String, Long> ids =
        arrived().stream()
            .map(a -> a.id() + a.body())
            .distinct()
            .collect(Collectors.groupingBy(i -> i.substring(0, 36), Collectors.counting()));
    assertThat(ids).hasSameSizeAs(copies);
    assertThat(ids.values()).allMatch(n -> n == 1);
  }
}
