package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Listener;
import dev.semel.Worker;
import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What has left cannot be marked, since the right to do so was taken away. Right: the relay
 * remembers and sends nothing again, and goes on by itself once it may.
 */
class F46_MarkFailsTest extends OutboxScene {

  private final PostgresServer postgres;

  F46_MarkFailsTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  @Test
  void whatCannotBeMarkedIsNotSentAgain() throws Exception {
    String role = database.runtimeName();
    Away away = new Away();
    Worker relay = startRelay(settings().listener(away), step -> {});
    database.executeAsOwner("REVOKE DELETE ON semel.outbox FROM " + role);
    try {
      addBodies(bodies("row", 100));
      awaitArrived(100);
      Await.until("it says so", DEADLINE, () -> away.began.get() == 1);
      assertThat(relay.health().ready()).isFalse();
      addBodies(bodies("meanwhile", 10));
      // Two more tries to mark at least.
      Await.until("it has tried again", DEADLINE, () -> refusals() >= 3);
      assertThat(arrived()).hasSize(100);
      assertThat(pending()).isEqualTo(110);
    } finally {
      database.executeAsOwner("GRANT DELETE ON semel.outbox TO " + role);
    }
    awaitOutboxEmpty();
    List<String> all = new ArrayList<>(bodies("row", 100));
    all.addAll(bodies("meanwhile", 10));
    assertOnceEach(all);
  }

  private long refusals() {
    return Pattern.compile("permission denied for table outbox")
        .matcher(postgres.serverLog())
        .results()
        .count();
  }

  private static final class Away implements Listener {
    final AtomicInteger began = new AtomicInteger();

    @Override
    public void outageBegan(Outage outage) {
      if (outage.kind() == Outage.Kind.OUTBOX) {
        began.incrementAndGet();
      }
    }
  }
}
