package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.checker.Recorder;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * One message fanned out to two queues with a consumer each, then fanned out again; and two
 * producers that use id 1 for different things on one queue. Right: one effect for each consumer,
 * none for the copies; two effects where the identity names the producer, else (the default: the id
 * is the message) one effect and a parked conflict, never a silent duplicate.
 */
class F17_KeyScopeTest extends WorkerTest {

  F17_KeyScopeTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void oneEffectForEachConsumer() throws IOException, SQLException, TimeoutException {
    String second = vhost.declareQueue(vhost.unique("q"));
    String exchange = fanout(queue, second);
    WorkerProcess payments = start(worker());
    WorkerProcess billing =
        start(WorkerSpec.of(kind, database, vhost, second, history).consumer("billing"));
    for (String outcome : List.of("Applied", "Duplicate")) {
      fan(exchange, "k");
      payments.awaitLine("SETTLED k " + outcome + ".*");
      billing.awaitLine("SETTLED k " + outcome + ".*");
    }
    awaitQueueEmpty();

    for (String consumer : List.of(CONSUMER, "billing")) {
      assertThat(effectsOf(consumer)).isEqualTo(1);
      assertThat(
              database.queryLong(
                  "SELECT count(*) FROM semel.processed_messages WHERE message_id = 'k' AND consumer = '"
                      + consumer
                      + "'"))
          .isEqualTo(1);
    }
    assertThat(ledger.effects()).isEqualTo(2);
    assertThat(ledger.parked()).isZero();
    assertThat(broker.messageCount(vhost.name(), second)).isZero();
    vhost.deleteQueue(second);
  }

  @Test
  void twoProducersUnderTheDefaultAreAConflict() throws IOException, SQLException {
    WorkerProcess worker = start(worker());
    publishPrepared(List.of(fromProducer("shop"), fromProducer("till")));
    worker.awaitLine("SETTLED 1 Conflict.*");
    awaitQueueEmpty();
    assertOnceEach();
    assertThat(ledger.effects("1")).isEqualTo(1);
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
  }

  @Test
  void twoProducersInTheScopeAreTwoMessages() throws IOException, SQLException {
    WorkerProcess worker = start(worker().header("producer-and-id"));
    publishPrepared(List.of(fromProducer("shop"), fromProducer("till"), fromProducer("shop")));
    worker.awaitLine("SETTLED shop/1 Duplicate.*");
    worker.awaitLine("SETTLED till/1 Applied.*");
    awaitQueueEmpty();
    assertThat(ledger.effects("1")).isEqualTo(2);
    assertThat(ledger.keys()).isEqualTo(2);
    assertThat(ledger.parked()).isZero();
  }

  private TestVhost.Publication fromProducer(String producer) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId("1")
            .appId(producer)
            .headers(Map.of("producer-and-id", producer + "/1"))
            .deliveryMode(2)
            .build(),
        ("from " + producer).getBytes(StandardCharsets.UTF_8));
  }

  private String fanout(String... queues) throws IOException, TimeoutException {
    String exchange = vhost.unique("x");
    try (Connection connection = vhost.connect();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(exchange, "fanout", true);
      for (String each : queues) {
        channel.queueBind(each, exchange, "");
      }
    }
    return exchange;
  }

  private void fan(String exchange, String key) throws IOException {
    vhost.publishAll(
        List.of(
            new TestVhost.Publication(
                exchange,
                "",
                new AMQP.BasicProperties.Builder().messageId(key).deliveryMode(2).build(),
                "ok".getBytes(StandardCharsets.UTF_8))));
    try (Recorder recorder = Recorder.open(history, "producer-fan")) {
      recorder.published(key);
    }
  }

  private long effectsOf(String consumer) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM public.effects WHERE k = 'k' AND note = '" + consumer + "'");
  }
}
