package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.Consumer;
import dev.semel.Semel;
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
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Three queues and consumers in one worker; after a crash of the broker one queue is missing, and
 * is added later. Right: the two others are back without it, it is back soon after its queue,
 * readiness tells which one is missing, and every message has one effect.
 */
@WithServices
class F27_OneQueueMissingTest {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final List<String> NAMES = List.of("one", "two", "three");
  private static final int MISSING = 1;

  /** Erlang's disk_log writes after up to two seconds; a durable queue that is younger is lost. */
  private static final Duration WRITTEN_AFTER = Duration.ofSeconds(4);

  private final TestDatabase database;
  private final RabbitNode broker = OwnBroker.node();
  private final TestVhost vhost = OwnBroker.vhost();
  private final Ledger ledger;
  private final List<String> queues = NAMES.stream().map(vhost::unique).toList();
  private long declared;

  F27_OneQueueMissingTest(TestDatabase database) throws SQLException {
    this.database = database;
    this.ledger = Ledger.in(database);
  }

  @BeforeEach
  void declare() throws IOException, TimeoutException {
    for (int i = 0; i < queues.size(); i++) {
      if (i != MISSING) {
        vhost.declareQueue(queues.get(i));
      }
    }
    // Not durable: this one does not outlive the broker.
    try (Connection connection = vhost.connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queues.get(MISSING), false, false, false, null);
    }
    declared = System.nanoTime();
  }

  @AfterEach
  void delete() throws IOException {
    for (String queue : queues) {
      vhost.deleteQueue(queue);
    }
  }

  @Test
  void allThreeComeBack() throws IOException, SQLException {
    Semel semel = Semel.builder(database.runtimeDataSource()).lanes(2).build();
    try (Worker worker = semel.start(consumer(0), consumer(1), consumer(2))) {
      Await.until("all consumers", SOON, () -> worker.health().ready());
      publish("before", queues);
      Await.until("effects before", SOON, () -> ledger.effects() == 3);

      Await.until(
          "the broker to have written down its durable queues",
          SOON,
          () -> System.nanoTime() - declared > WRITTEN_AFTER.toNanos());
      broker.crash();
      Await.until("the loss to be seen", SOON, () -> worker.health().reasons().size() == 3);
      broker.startAgain();
      List<String> there = List.of(queues.get(0), queues.get(2));
      for (String queue : there) {
        Await.until(
            "consumers of " + queue, SOON, () -> broker.consumerCount(vhost.name(), queue) == 2);
      }
      publish("without", there);
      Await.until("effects without it", SOON, () -> ledger.effects() == 5);
      assertThat(broker.queues(vhost.name())).doesNotContain(queues.get(MISSING));
      Await.until("only one to be missing", SOON, () -> worker.health().reasons().size() == 1);
      assertThat(worker.health().ready()).isFalse();
      assertThat(worker.health().reasons().get(0)).contains("'" + NAMES.get(MISSING) + "'");

      vhost.declareQueue(queues.get(MISSING));
      Await.until("the last consumer", SOON, () -> worker.health().ready());
      publish("after", queues);
      Await.until("effects after", SOON, () -> ledger.effects() >= 8);
      for (String queue : queues) {
        Await.until(
            "queue " + queue + " is empty",
            SOON,
            () -> broker.messageCount(vhost.name(), queue) == 0);
      }
    }
    assertThat(ledger.effects()).isEqualTo(8);
    assertThat(ledger.distinct()).isEqualTo(8);
    assertThat(ledger.parked()).isZero();
  }

  private Consumer consumer(int i) {
    return Consumer.named(NAMES.get(i))
        .source(RabbitMq.queue(vhost.amqpUri(), queues.get(i)))
        .handler(Ledger::apply)
        .build();
  }

  private void publish(String when, List<String> to) throws IOException {
    for (String queue : to) {
      vhost.publish(queue, when + "-" + queue, "ok");
    }
  }
}
