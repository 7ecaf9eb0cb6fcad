package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import dev.semel.Consumer;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Order;
import dev.semel.Outbox;
import dev.semel.Outcome;
import dev.semel.Parking.Replay;
import dev.semel.Selection;
import dev.semel.Semel;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The queue for dead letters is missing while messages die: of a permanent failure, of attempts
 * that are used up, without an id, in conflict. Right: others are applied meanwhile, each dead
 * message is kept, its copy waits and says why, and leaves once when the queue is there:
 * persistent, without an expiration, under the message's own id, with the reason. A message that is
 * replayed and dies again leaves a second letter, and its first is not lost over it.
 */
class F33_DeadLetterQueueTest extends WorkerTest {

  private static final String REASON = "semel-dead-reason";

  F33_DeadLetterQueueTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void lettersWaitForTheirQueue() throws IOException, SQLException {
    String letters = vhost.unique("letters");
    String elsewhere = vhost.declareQueue(vhost.unique("elsewhere"));
    List<TestVhost.Publication> all = new ArrayList<>();
    all.add(publication("twice", "ok 1"));
    all.add(publication("hopeless", "fail"));
    all.add(
        publication(
            new AMQP.BasicProperties.Builder()
                .messageId("cut")
                .deliveryMode(2)
                .type("payment")
                .contentType("application/json")
                .expiration("3600000")
                .headers(Map.of("tenant", "t-1", "n", 7, "CC", List.of(elsewhere)))
                .build(),
            "permanent"));
    all.add(publication(new AMQP.BasicProperties.Builder().deliveryMode(2).build(), "ok"));
    all.add(publication("twice", "ok 2"));
    List<String> good = keys("good", 20);
    good.forEach(k -> all.add(publication(k, "ok")));
    publishPrepared(all);

    start(worker().lanes(1).relay().attempts(2).pauseMillis(50).deadLettersTo(letters));
    Outbox outbox = Semel.builder(database.runtimeDataSource()).build().outbox();
    awaitRefused(outbox, 4);
    awaitQueueEmpty();
    assertThat(ledger.effects()).as("effects of the good ones").isEqualTo(21);
    assertThat(parked("dead")).isEqualTo(4);

    replay("hopeless");
    awaitRefused(outbox, 5);
    assertThat(parked("dead"))
        .as("dead messages stay, whatever becomes of their copies")
        .isEqualTo(4);

    vhost.declareQueue(letters);
    Await.until("all have left", DEADLINE, () -> outbox.list(Selection.any()).isEmpty());
    List<GetResponse> arrived = vhost.drain(letters);
    assertThat(arrived.stream().map(F33_DeadLetterQueueTest::idAndReason))
        .containsExactlyInAnyOrder(
            "cut: permanent failure: cannot be decoded",
            "hopeless: handler failed",
            "hopeless: handler failed",
            "none: no id: message-id is missing",
            "twice: conflict: same id, other bytes");
    assertThat(arrived)
        .allMatch(a -> a.getProps().getDeliveryMode() == 2)
        .allMatch(a -> a.getProps().getExpiration() == null);
    GetResponse cut =
        arrived.stream().filter(a -> "cut".equals(a.getProps().getMessageId())).findAny().get();
    assertThat(new String(cut.getBody(), StandardCharsets.UTF_8)).isEqualTo("permanent");
    assertThat(cut.getProps().getType()).isEqualTo("payment");
    assertThat(cut.getProps().getContentType()).isEqualTo("application/json");
    Map<String, String> headers = new TreeMap<>();
    cut.getProps().getHeaders().forEach((k, v) -> headers.put(k, String.valueOf(v)));
    assertThat(headers)
        .containsEntry("tenant", "t-1")
        .containsEntry("n", "7")
        .containsEntry("semel-dead-consumer", CONSUMER)
        .containsEntry("semel-dead-attempts", "1")
        .containsEntry("semel-dead-error-class", "dev.semel.PermanentFailure")
        .doesNotContainKey("CC");
    assertThat(vhost.readyCount(elsewhere)).as("the producer's own second copy").isEqualTo(1);
    assertThat(outbox.books()).allMatch(b -> b.written() == 5 && b.offBy() == 0);
    vhost.deleteQueue(letters);
    vhost.deleteQueue(elsewhere);
    judge().assertGood();
  }

  /**
   * From a source without the limits of a broker. Right: as much of it as can leave is promised.
   */
  @Test
  void whatNoBrokerTakesDiesAllTheSame() throws SQLException {
    Inbox inbox =
        Semel.builder(database.runtimeDataSource())
            .build()
            .inbox(Consumer.named("by-http").deadLettersTo("", "letters").build());
    String longId = "i".repeat(300);
    for (String id : List.of(longId, "large")) {
      inbox.process(Message.builder().id(id).body("first").build(), Ledger::apply);
    }
    assertDies(
        inbox,
        Message.builder()
            .id(longId)
            .body("other")
            .header("semel-dead-error", "of another death")
            .build());
    assertDies(inbox, Message.builder().id("large").body(new byte[128 * 1024 * 1024 + 1]).build());
    assertThat(
            textRows(
                "SELECT concat_ws('|', sent_as, convert_from(body, 'UTF8'),"
                    + " headers ->> 'semel-dead-without', headers ->> 'semel-dead-error')"
                    + " FROM semel.outbox ORDER BY id"))
        .containsExactly(
            "other",
            "large||all but its id: body has 134217729 bytes, but may have at most 134217728");
  }

  private static void assertDies(Inbox inbox, Message message) {
    assertThat(inbox.process(message, Ledger::apply)).isEqualTo(new Outcome.Conflict());
  }

  private TestVhost.Publication publication(AMQP.BasicProperties properties, String body) {
    return new TestVhost.Publication("", queue, properties, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void awaitRefused(Outbox outbox, int count) {
    Await.until(
        count + " letters were refused, for want of a queue",
        DEADLINE,
        () ->
            outbox.list(Selection.any()).stream()
                    .filter(r -> String.valueOf(r.lastError()).startsWith("unroutable"))
                    .count()
                == count);
  }

  private void replay(String key) {
    var parking = Semel.builder(database.runtimeDataSource()).build().parking();
    var ids =
        parking.list(Selection.any()).stream()
            .filter(r -> key.equals(r.messageKey()))
            .map(r -> r.id())
            .toList();
    assertThat(parking.replay(Selection.of(ids), Replay.PLAIN, Order.by("ann", "again")))
        .hasSize(1)
        .allMatch(d -> d.result().done());
  }

  private static String idAndReason(GetResponse letter) {
    String id = String.valueOf(letter.getProps().getMessageId());
    return (id.length() == 36 ? "none" : id) + ": " + letter.getProps().getHeaders().get(REASON);
  }
}
