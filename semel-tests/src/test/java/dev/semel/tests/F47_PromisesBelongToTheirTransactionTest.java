package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Handler;
import dev.semel.HandlerFailedException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * A handler sends from two threads and at its very end; workers are killed at several moments.
 * Right: an effect is there exactly where all its messages are, and each arrives; none is left
 * over.
 */
class F47_PromisesBelongToTheirTransactionTest extends OutboxScene {

  F47_PromisesBelongToTheirTransactionTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void bothOrNeither() throws Exception {
    Inbox inbox = semel().inbox("payments");
    for (int i = 0; i < 20; i++) {
      boolean fails = i % 3 == 0;
      String key = "m-" + i;
      Handler handler =
          (message, tx) -> {
            Ledger.insert(tx, key, "");
            Thread other = new Thread(() -> tx.send(toOut(key + "/other").name("other").build()));
            other.start();
            tx.send(toOut(key + "/own").name("own").build());
            other.join();
            tx.send(toOut(key + "/last").name("last").build());
            if (fails) {
              throw new IllegalStateException("told to");
            }
          };
      try {
        inbox.process(Message.builder().id(key).build(), handler);
      } catch (HandlerFailedException e) {
        assertThat(fails).isTrue();
      }
    }
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM (SELECT k FROM public.effects GROUP BY k) e FULL JOIN (SELECT"
                    + " split_part(convert_from(body, 'UTF8'), '/', 1) AS k, count(*) AS n FROM"
                    + " semel.outbox GROUP BY 1) o ON o.k = e.k WHERE o.n IS DISTINCT FROM 3 OR e.k IS NULL"))
        .isZero();
    assertThat(pending()).isEqualTo(13 * 3);
    startRelay();
    awaitOutboxEmpty();
    assertThat(copies()).hasSize(39).allSatisfy((body, n) -> assertThat(n).isEqualTo(1));
  }
}
