package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.LIMIT;
import static dev.semel.rabbitmq.RecordingIntake.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** F23 and F24: the broker closes the channel of who takes too long. */
class ConsumerTimeoutTest {

  private static RabbitNode node;
  private TestVhost vhost;
  private String queue;

  @BeforeAll
  static void start() throws Exception {
    node = RabbitNode.builder().consumerTimeout(Duration.ofSeconds(2)).start();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void prepare() throws Exception {
    vhost = node.createVhost("timeout");
    queue = vhost.declareQueue("q");
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private Subscription subscribe(Intake intake) {
    return ((MessageSource) RabbitMq.queue(vhost.amqpUri(), queue)).subscribe(intake, 20);
  }

  @Test
  void theConsumerComesBackAndLateAcknowledgementsDisturbNothing() throws Exception {
    RecordingIntake intake = new RecordingIntake();
    vhost.publish(queue, "m1", "x");
    vhost.publish(queue, "m2", "x");
    try (Subscription subscription = subscribe(intake)) {
      List<Delivery> old = intake.awaitDeliveries(2);
      intake.awaitEvents(2);
      assertThat(intake.events().get(1))
          .startsWith("lost: channel closed: 406 PRECONDITION_FAILED");
      assertThat(old).noneMatch(Delivery::live);
      subscription.acknowledge(old);
      List<Delivery> copies = intake.awaitDeliveries(4).subList(2, 4);
      assertThat(ids(copies)).containsExactly("m1", "m2");
      subscription.acknowledge(old);
      subscription.acknowledge(copies);
      vhost.publish(queue, "m3", "x");
      subscription.acknowledge(intake.awaitDeliveries(5).subList(4, 5));
      intake.awaitEvents(3);
      assertThat(intake.events()).hasSize(3);
      assertThat(vhost.consumerCount(queue)).isEqualTo(1);
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
    assertThat(node.log()).doesNotContain("unknown delivery tag");
  }

  @Test
  void whatTheClientStillHadInItsBufferIsNotHandedOut() throws Exception {
    Stuck intake = new Stuck();
    for (int i = 1; i <= 10; i++) {
      vhost.publish(queue, "m" + i, "x");
    }
    try (Subscription subscription = subscribe(intake)) {
      Await.until("the channel to close", LIMIT, () -> intake.releasedBy != null);
      Await.until(
          "all on the new channel",
          LIMIT,
          () -> {
            subscription.acknowledge(intake.live());
            return intake.received.size() == 11;
          });
      assertThat(ids(intake.received.subList(1, 11)))
          .containsExactlyInAnyOrder("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10");
      assertThat(intake.deadOnArrival).isEmpty();
      subscription.acknowledge(intake.live());
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
  }

  /** Sits in its first delivery until the channel of that is closed. */
  private static final class Stuck implements Intake {
    private final List<Delivery> received = new CopyOnWriteArrayList<>();
    private final List<Delivery> deadOnArrival = new CopyOnWriteArrayList<>();
    private volatile Delivery releasedBy;

    @Override
    public void received(Delivery delivery) {
      if (!delivery.live()) {
        deadOnArrival.add(delivery);
      }
      received.add(delivery);
      if (releasedBy == null) {
        Await.until("the channel to close", LIMIT, () -> !delivery.live());
        releasedBy = delivery;
      }
    }

    List<Delivery> live() {
      return received.stream().filter(Delivery::live).toList();
    }

    @Override
    public void subscribed() {}

    @Override
    public void lost(String reason) {}
  }
}
