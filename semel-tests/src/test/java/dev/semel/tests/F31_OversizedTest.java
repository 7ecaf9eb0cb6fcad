package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A message above the limit of the source, among small ones. Right: the small ones are applied, the
 * connection lives, the big one is dead with its size and its bytes, and no handler saw it.
 */
class F31_OversizedTest extends WorkerTest {

  private static final int LIMIT = 1024 * 1024;

  F31_OversizedTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void isParkedAndStopsNobody() throws IOException, SQLException {
    List<TestVhost.Publication> all = new ArrayList<>();
    all.add(publication("big", "x".repeat(2 * LIMIT)));
    keys("small", 10).forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);
    WorkerProcess worker = start(worker().lanes(1).maxMessageBytes(LIMIT));
    worker.awaitLine("^DIED .* larger than maxMessageBytes: 2097152 bytes, 1048576 allowed$");
    awaitQueueEmpty();

    assertThat(worker.lines()).noneMatch(l -> l.startsWith("AWAY "));
    assertThat(new WorkerLines(worker.lines()).of("ENTERED", "big")).isEmpty();
    assertThat(
            textRows(
                "SELECT concat_ws('|', state, octet_length(body), properties ->> 'message-id')"
                    + " FROM semel.parked_messages"))
        .containsExactly("dead|2097152|big");
    assertThat(ledger.effects()).isEqualTo(10);
  }
}
