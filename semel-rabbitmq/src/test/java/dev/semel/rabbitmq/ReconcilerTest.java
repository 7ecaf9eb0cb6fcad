package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.LIMIT;
import static dev.semel.rabbitmq.RecordingIntake.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Delivery;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** F25 to F27: whatever takes the consumer away, it comes back. */
class ReconcilerTest {

  private final RecordingIntake intake = new RecordingIntake();
  private RabbitNode node;
  private TestVhost vhost;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("reconciler");
  }

  @AfterEach
  void remove() throws Exception {
    node.startAgain();
    vhost.close();
  }

  private Subscription subscribe(String queue) {
    return ((MessageSource) RabbitMq.queue(vhost.amqpUri(), queue)).subscribe(intake, 10);
  }

  @Test
  void waitsForAQueueThatIsNotThereYet() throws Exception {
    try (Subscription subscription = subscribe("later")) {
      Await.until("a try", LIMIT, () -> node.log().contains("no queue 'later'"));
      assertThat(subscription.subscribed()).isFalse();
      assertThat(intake.events()).isEmpty();
      vhost.declareQueue("later");
      vhost.publish("later", "m1", "x");
      subscription.acknowledge(intake.awaitDeliveries(1));
      intake.awaitEvents(1);
      assertThat(intake.events()).containsExactly("subscribed");
    }
  }

  @Test
  void queueDeletedAndDeclaredAgain() throws Exception {
    String queue = vhost.declareQueue("q");
    vhost.publish(queue, "held 1", "x");
    vhost.publish(queue, "held 2", "x");
    try (Subscription subscription = subscribe(queue)) {
      List<Delivery> held = intake.awaitDeliveries(2);
      vhost.deleteQueue(queue);
      intake.awaitEvents(2);
      assertThat(intake.events().get(1)).startsWith("lost: consumer cancelled by the broker");
      assertThat(subscription.subscribed()).isFalse();
      vhost.declareQueue(queue);
      intake.awaitEvents(3);
      vhost.publish(queue, "new", "x");
      intake.awaitDeliveries(3);
      // what was held is nowhere else now: it must not be dropped, and is settled where it came
      // from
      assertThat(held).allMatch(Delivery::live);
      subscription.acknowledge(List.of(held.get(0), intake.last()));
      assertThat(held.get(1).live()).isTrue();
      subscription.giveBack(held.subList(1, 2));
      Await.until("the old channel to close", LIMIT, () -> !held.get(1).live());
      assertThat(subscription.subscribed()).isTrue();
      assertThat(intake.events()).hasSize(3);
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
    assertThat(node.log()).doesNotContain("unknown delivery tag");
  }

  @Test
  void connectionClosedByTheBrokerAndLateAcknowledgements() throws Exception {
    String queue = vhost.declareQueue("q");
    vhost.publish(queue, "m1", "x");
    vhost.publish(queue, "m2", "x");
    try (Subscription subscription = subscribe(queue)) {
      List<Delivery> old = intake.awaitDeliveries(2);
      node.closeConnections(vhost.name());
      intake.awaitEvents(3);
      assertThat(intake.events().get(1))
          .startsWith("lost: connection closed: 320 ")
          .contains("closed by the test");
      List<Delivery> copies = intake.awaitDeliveries(4).subList(2, 4);
      assertThat(ids(copies)).containsExactly("m1", "m2");
      assertThat(old).noneMatch(Delivery::live);
      assertThat(copies).allMatch(Delivery::live);
      // the same tags as the copies have on the new channel
      subscription.acknowledge(old);
      subscription.giveBack(old);
      assertThat(copies).allMatch(Delivery::live);
      subscription.acknowledge(copies.subList(0, 1));
      vhost.publish(queue, "m3", "x");
      intake.awaitDeliveries(5);
      assertThat(intake.events()).hasSize(3);
    }
    assertThat(vhost.drainIds(queue)).containsExactlyInAnyOrder("m2", "m3");
    assertThat(node.log()).doesNotContain("unknown delivery tag");
  }

  @Test
  void brokerRestartWithAQueueMissing() throws Exception {
    String queue = vhost.declareQueue("q");
    RecordingIntake missing = new RecordingIntake();
    vhost.publish(queue, "m1", "x");
    try (Subscription subscription = subscribe(queue);
        Subscription late =
            ((MessageSource) RabbitMq.queue(vhost.amqpUri(), "late")).subscribe(missing, 10)) {
      Delivery first = intake.awaitDeliveries(1).get(0);
      node.stop();
      intake.awaitEvents(2);
      assertThat(subscription.subscribed()).isFalse();
      assertThat(first.live()).isFalse();
      subscription.acknowledge(List.of(first));
      node.startAgain();
      intake.awaitEvents(3);
      Delivery copy = intake.awaitDeliveries(2).get(1);
      assertThat(copy.redelivered()).isTrue();
      subscription.acknowledge(List.of(copy));
      assertThat(late.subscribed()).isFalse();
      vhost.declareQueue("late");
      missing.awaitEvents(1);
      assertThat(intake.events()).hasSize(3);
      assertThat(missing.events()).containsExactly("subscribed");
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
  }

  @Test
  void whatIsNotWantedIsNotLost() throws Exception {
    String queue = vhost.declareQueue("q");
    try (Subscription subscription = subscribe(queue)) {
      intake.awaitEvents(1);
      subscription.wanted(false);
      Await.until("no consumer", LIMIT, () -> vhost.consumerCount(queue) == 0);
      node.closeConnections(vhost.name());
      subscription.wanted(true);
      intake.awaitEvents(2);
      assertThat(intake.events()).containsExactly("subscribed", "subscribed");
      assertThat(vhost.consumerCount(queue)).isEqualTo(1);
    }
  }
}
