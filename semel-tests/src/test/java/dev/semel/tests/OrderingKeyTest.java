package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.Consumer;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.Tx;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two messages of one ordering key are never applied at the same moment; those of others are. */
@WithServices
class OrderingKeyTest {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final TestDatabase database;
  private final TestVhost vhost;
  private final RabbitNode broker;
  private final Ledger ledger;
  private final Semel semel;

  OrderingKeyTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    this.database = database;
    this.vhost = vhost;
    this.broker = broker;
    this.ledger = Ledger.in(database);
    this.semel = Semel.builder(database.runtimeDataSource()).build();
  }

  @BeforeEach
  void begin() throws SQLException {
    database.executeAsOwner("TRUNCATE public.effects");
  }

  @Test
  void theSecondOfAnOrderingKeyIsInFlight() throws SQLException {
    Inbox inbox = semel.inbox(ordered("ordered-inbox").build());
    // Another consumer, and one without order, have locks of their own.
    Inbox other = semel.inbox(ordered("other-inbox").build());
    Inbox unordered = semel.inbox("ordered-inbox");
    Outcome[] beside = new Outcome[5];
    inbox.process(
        message("a-1", "a"),
        (m, tx) -> {
          Ledger.apply(m, tx);
          beside[0] = inbox.process(message("a-2", "a"), Ledger::apply);
          beside[1] = inbox.process(message("b-1", "b"), Ledger::apply);
          beside[2] = inbox.process(message("no-order", null), Ledger::apply);
          beside[3] = other.process(message("a-2", "a"), Ledger::apply);
          beside[4] = unordered.process(message("a-3", "a"), Ledger::apply);
        });
    assertThat(beside)
        .containsExactly(
            new Outcome.InFlight(),
            new Outcome.Applied(),
            new Outcome.Applied(),
            new Outcome.Applied(),
            new Outcome.Applied());
    assertThat(inbox.process(message("a-2", "a"), Ledger::apply)).isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(message("a-2", "a"), Ledger::apply))
        .isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects("a-2")).as("one for each consumer").isEqualTo(2);
  }

  /** Four lanes, six ordering keys: the handlers see who is beside them. */
  @Test
  void neverTwoOfOneKeyAtOnceInAWorker() throws IOException, SQLException {
    String queue = vhost.declareQueue(vhost.unique("q"), Map.of("x-single-active-consumer", true));
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(
          new TestVhost.Publication(
              "",
              queue,
              new AMQP.BasicProperties.Builder()
                  .messageId("m-" + i)
                  .headers(Map.of("account", "account-" + i % 6))
                  .deliveryMode(2)
                  .build(),
              new byte[0]));
    }
    vhost.publishAll(all);
    Beside beside = new Beside();
    Consumer consumer =
        ordered("ordered-worker")
            .source(RabbitMq.queue(vhost.amqpUri(), queue))
            .handler(beside::handle)
            .lanes(4)
            .batch(2)
            .prefetch(60)
            .build();
    try (Worker worker = semel.start(consumer)) {
      assertThat(worker.health()).isNotNull();
      Await.until(
          "the queue is empty", DEADLINE, () -> broker.messageCount(vhost.name(), queue) == 0);
    }
    assertThat(beside.mostOfOneKey.get()).isEqualTo(1);
    assertThat(beside.mostAtAll.get()).as("others run meanwhile").isGreaterThan(1);
    assertThat(ledger.effects()).isEqualTo(60);
    assertThat(ledger.distinct()).isEqualTo(60);
    vhost.deleteQueue(queue);
  }

  /** A handler that takes its time and counts who is in it. */
  private static final class Beside {

    private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final AtomicInteger insideAtAll = new AtomicInteger();
    private final AtomicInteger mostOfOneKey = new AtomicInteger();
    private final AtomicInteger mostAtAll = new AtomicInteger();

    void handle(Message message, Tx tx) throws SQLException {
      AtomicInteger ofKey =
          inside.computeIfAbsent(
              String.valueOf(message.headerText("account")), k -> new AtomicInteger());
      mostOfOneKey.accumulateAndGet(ofKey.incrementAndGet(), Math::max);
      mostAtAll.accumulateAndGet(insideAtAll.incrementAndGet(), Math::max);
      try (var statement = tx.connection().createStatement()) {
        statement.execute("SELECT pg_sleep(0.02)");
        Ledger.apply(message, tx);
      } finally {
        insideAtAll.decrementAndGet();
        ofKey.decrementAndGet();
      }
    }
  }

  private static Consumer.Builder ordered(String name) {
    return Consumer.named(name).orderingKey(m -> m.headerText("account"));
  }

  private static Message message(String id, String account) {
    return Message.builder().id(id).header("account", account).build();
  }
}
