package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Consumer;
import dev.semel.Listener;
import dev.semel.Listener.Outage;
import dev.semel.Outgoing;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The broker has its alarm for memory, and reads nothing from connections that publish. Right: what
 * is in the queue is consumed, applied and acknowledged all the same, what that sends waits in the
 * outbox, the outage is told, a relay that stops meanwhile stops in its time, and after the alarm
 * everything is delivered.
 */
class F34_BrokerAlarmTest extends OutboxScene {

  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final int MESSAGES = 200;

  /** All together more than the buffers between two processes hold, so that a publish hangs. */
  private static final String PADDING = "x".repeat(40_000);

  private final List<Outage> began = new CopyOnWriteArrayList<>();
  private final List<Outage> ended = new CopyOnWriteArrayList<>();

  F34_BrokerAlarmTest(TestDatabase database) throws SQLException {
    super(database, OwnBroker.vhost(), OwnBroker.node());
  }

  @AfterEach
  void noAlarm() throws IOException {
    broker.memoryAlarm(false);
  }

  @Test
  void consumingGoesOnAndSendingWaits() throws Exception {
    String in = vhost.declareQueue(vhost.unique("in"));
    List<String> keys = bodies("k", MESSAGES);
    for (String key : keys) {
      vhost.publish(in, key, "ok");
    }
    broker.memoryAlarm(true);
    Worker worker = startWorker(in);
    Await.until(
        "all is applied and acknowledged during the alarm",
        DEADLINE,
        () -> effects() == MESSAGES && broker.messageCount(vhost.name(), in) == 0);
    Await.until("the outage is told", DEADLINE, () -> !began.isEmpty());
    assertThat(began)
        .allMatch(o -> o.kind() == Outage.Kind.DESTINATION)
        .anyMatch(o -> o.toString().contains("takes no messages"));
    assertThat(pending()).as("what waits").isEqualTo(MESSAGES);
    assertThat(ended).isEmpty();

    long start = System.nanoTime();
    worker.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("time to stop during the alarm")
        .isLessThan(GRACE.plusSeconds(10));

    worker = startWorker(in);
    Await.until("the outage is told again", DEADLINE, () -> began.size() > 1);
    broker.memoryAlarm(false);
    awaitOutboxEmpty();
    Await.until("the end is told", DEADLINE, () -> !ended.isEmpty());
    worker.close();
    assertThat(copies().keySet()).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(copies().values()).allMatch(n -> n <= 2);
    assertThat(effects()).isEqualTo(MESSAGES);
    assertThat(arrived().stream().map(Arrived::id).distinct()).hasSize(MESSAGES);
    vhost.deleteQueue(in);
  }

  private long effects() throws SQLException {
    return database.queryLong("SELECT count(*) FROM public.effects");
  }

  private Worker startWorker(String in) {
    Listener listener =
        new Listener() {
          @Override
          public void outageBegan(Outage outage) {
            began.add(outage);
          }

          @Override
          public void outageEnded(Outage outage, Duration length) {
            ended.add(outage);
          }
        };
    Semel semel =
        settings().grace(GRACE).listener(listener).sender(RabbitMq.sender(vhost.amqpUri())).build();
    return semel.start(
        Consumer.named("payments")
            .source(RabbitMq.queue(vhost.amqpUri(), in))
            .handler(
                (message, tx) -> {
                  try (PreparedStatement insert =
                      tx.connection()
                          .prepareStatement("INSERT INTO public.effects (k) VALUES (?)")) {
                    insert.setString(1, message.id());
                    insert.executeUpdate();
                  }
                  tx.send(
                      Outgoing.to("", out).body(message.id()).header("padding", PADDING).build());
                })
            .build());
  }
}
