package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import dev.semel.Consumer;
import dev.semel.Fingerprint;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every example of the documentation runs, against real PostgreSQL and RabbitMQ. */
@WithServices
class ExamplesTest {

  private static final int PAYMENTS = 40;

  private final Shop shop;
  private final TestDatabase database;
  private final TestVhost vhost;

  ExamplesTest(TestDatabase database, TestVhost vhost) throws SQLException {
    this.shop = Shop.open(database, vhost);
    this.database = database;
    this.vhost = vhost;
  }

  private Semel semel() {
    return Semel.builder(database.runtimeDataSource()).build();
  }

  /** A consumer's name belongs to one source, so each test of a source has a schema of its own. */
  private Semel.Builder inSchema(String schema) throws SQLException {
    var owner = Semel.builder(database.ownerDataSource()).schema(schema).build().schema();
    owner.apply();
    database.executeAsOwner(owner.grants(database.runtimeName()));
    return Semel.builder(database.runtimeDataSource()).schema(schema);
  }

  @Test
  void theWorkerBooksEachPaymentOnce() throws Exception {
    String queue = shop.queueOfPayments(PAYMENTS);
    try (Worker worker =
        PaymentWorker.start(database.runtimeDataSource(), vhost.amqpUri(), queue)) {
      shop.awaitEachOnce(queue, PAYMENTS);
      assertThat(worker.health().ready()).isTrue();
    }
  }

  @Test
  void theListenerOfOnesOwnBooksEachPaymentOnce() throws Exception {
    String queue = shop.queueOfPayments(PAYMENTS);
    try (Connection connection = vhost.connect()) {
      new OwnListener(connection.createChannel(), semel().inbox("own-listener")).listen(queue);
      shop.awaitEachOnce(queue, PAYMENTS);
    }
  }

  @Test
  void theListenerOfOnesOwnAsksAgainAfterAFailureWhileOthersFlow() throws Exception {
    String queue = vhost.declareQueue(vhost.unique("payments"));
    vhost.publish(queue, "bad", "not json");
    vhost.publish(queue, "good", Shop.entry(queue, 1));
    try (Connection connection = vhost.connect()) {
      new OwnListener(connection.createChannel(), semel().inbox("own-listener")).listen(queue);
      Await.until(
          "the good one in the ledger", Duration.ofSeconds(20), () -> shop.rows(queue, 1) == 1);
    }
    // The good one may be back too: its acknowledgement is on its way while the connection closes.
    List<GetResponse> back = new ArrayList<>();
    Await.until(
        "the bad one back",
        Duration.ofSeconds(20),
        () -> {
          back.addAll(vhost.drain(queue));
          return back.stream().anyMatch(m -> m.getProps().getMessageId().equals("bad"));
        });
    assertThat(back).allMatch(m -> m.getEnvelope().isRedeliver());
  }

  @Test
  void theTransactionOfOnesOwnHoldsKeyAndEffect() throws SQLException {
    Inbox inbox = semel().inbox("own-transaction");
    OwnTransaction own = new OwnTransaction(database.runtimeDataSource(), inbox);
    Message message = Message.builder().id("t-1").body("{\"order\": \"t-1\"}").build();
    assertThat(own.apply(message)).isEqualTo(new Outcome.Applied());
    assertThat(own.apply(message)).isEqualTo(new Outcome.Duplicate());
    assertThat(shop.rows("t-1")).isEqualTo(1);

    Message bad = Message.builder().id("t-2").body("not json").build();
    assertThatThrownBy(() -> own.apply(bad)).isInstanceOf(SQLException.class);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.processed_messages WHERE message_id = 't-2'"))
        .isZero();
  }

  @Test
  void theBatchHandlerBooksEachPaymentOnceAndTheListenerCounts() throws Exception {
    String queue = shop.queueOfPayments(PAYMENTS);
    OutcomeCounter counter = new OutcomeCounter();
    Semel semel = inSchema("semel_batch").listener(counter.listener()).build();
    Consumer consumer = BatchPayments.consumer(RabbitMq.queue(vhost.amqpUri(), queue));
    try (Worker worker = semel.start(consumer)) {
      shop.awaitEachOnce(queue, PAYMENTS);
      Map<String, Long> all =
          Map.of("Applied", (long) PAYMENTS, "Duplicate", (long) (PAYMENTS / 2));
      Await.until("all outcomes told", Duration.ofSeconds(20), () -> counter.counts().equals(all));
      assertThat(worker.health().reasons()).isEmpty();
    }
  }

  @Test
  void theListenerCountsFailures() throws Exception {
    String queue = vhost.declareQueue(vhost.unique("payments"));
    vhost.publish(queue, "bad", "not json");
    OutcomeCounter counter = new OutcomeCounter();
    Semel semel = inSchema("semel_failing").listener(counter.listener()).build();
    Consumer consumer = BatchPayments.consumer(RabbitMq.queue(vhost.amqpUri(), queue));
    try (Worker worker = semel.start(consumer)) {
      Await.until(
          "a failure told",
          Duration.ofSeconds(20),
          () -> counter.counts().getOrDefault("Failed", 0L) >= 1);
      assertThat(worker.health().ready()).as("one bad message is no outage").isTrue();
      Await.until(
          "the bad one parked",
          Duration.ofSeconds(20),
          () ->
              database.queryLong(
                      "SELECT count(*) FROM semel_failing.parked_messages WHERE state = 'waiting'"
                          + " AND message_id = 'bad' AND body = 'not json'::bytea"
                          + " AND attempts >= 1 AND error_sqlstate = '22P02'")
                  == 1);
    }
    assertThat(vhost.readyCount(queue)).isZero();
  }

  private static final String ONE = "{\"order\": \"b-1\", \"amount\": 5}";
  private static final String SAME_OTHERWISE_WRITTEN = "{\"amount\": 5, \"order\": \"b-1\"}";

  private static Message.Builder order(String id, String body) {
    return Message.builder().id(id).type("charge").header("order-id", "b-1").body(body);
  }

  @Test
  void aBusinessKeyKnowsAProducerThatMakesUpANewIdForEachTry() throws SQLException {
    Consumer consumer =
        Consumer.named("by-key")
            .identity(IdentityChoices.byOrder().identity())
            .fingerprint(Fingerprint.none())
            .build();
    Inbox inbox = semel().inbox(consumer);
    long before = shop.rows("b-1");
    assertThat(inbox.process(order("first", ONE).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(order("second", SAME_OTHERWISE_WRITTEN).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Duplicate());
    assertThat(shop.rows("b-1") - before).isEqualTo(1);
  }

  @Test
  void aHashOfTheBodyTakesOneMessageInTwoSpellingsForTwo() throws SQLException {
    Inbox inbox = semel().inbox(IdentityChoices.byBody());
    long before = shop.rows("b-1");
    assertThat(inbox.process(order("first", ONE).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(order("second", SAME_OTHERWISE_WRITTEN).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Applied());
    assertThat(shop.rows("b-1") - before).isEqualTo(2);
  }

  @Test
  void aFingerprintOfTheAmountTellsACopyFromAConflict() throws SQLException {
    Consumer consumer =
        Consumer.named("by-amount")
            .identity(IdentityChoices.comparingAmounts().identity())
            .fingerprint(IdentityChoices.comparingAmounts().fingerprint())
            .build();
    Inbox inbox = semel().inbox(consumer);
    assertThat(inbox.process(order("first", ONE).header("amount", 5).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Applied());
    assertThat(
            inbox.process(
                order("second", SAME_OTHERWISE_WRITTEN).header("amount", 5L).build(),
                PaymentWorker::book))
        .isEqualTo(new Outcome.Duplicate());
    assertThat(inbox.process(order("third", ONE).header("amount", 6).build(), PaymentWorker::book))
        .isEqualTo(new Outcome.Conflict());
  }
}
