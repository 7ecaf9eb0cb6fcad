package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.LIMIT;
import static dev.semel.rabbitmq.RecordingIntake.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Message;
import dev.semel.spi.Delivery;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settling and the life of subscriptions, with a broker that stays well. */
class RabbitSourceTest {

  private final RecordingIntake intake = new RecordingIntake();
  private RabbitNode node;
  private TestVhost vhost;
  private String queue;
  private MessageSource source;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("source");
    queue = vhost.declareQueue("q");
    source = (MessageSource) RabbitMq.queue(vhost.amqpUri(), queue);
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private void publish(int from, int to) throws Exception {
    for (int i = from; i <= to; i++) {
      vhost.publish(queue, "m" + i, "body " + i, Map.of("kind", "test"));
    }
  }

  @Test
  void handsOverWhatTheBrokerHas() throws Exception {
    publish(1, 1);
    try (Subscription subscription = source.subscribe(intake, 10)) {
      Delivery delivery = intake.awaitDeliveries(1).get(0);
      Message message = delivery.message();
      assertThat(message.id()).isEqualTo("m1");
      assertThat(message.text()).isEqualTo("body 1");
      assertThat(message.headers()).containsExactly(Map.entry("kind", "test"));
      assertThat(message.properties())
          .containsEntry("routing-key", queue)
          .containsEntry("exchange", "")
          .containsEntry("delivery-mode", "2");
      assertThat(delivery.redelivered()).isFalse();
      assertThat(delivery.live()).isTrue();
      intake.awaitEvents(1);
      assertThat(intake.events()).containsExactly("subscribed");
      assertThat(subscription.subscribed()).isTrue();
      subscription.acknowledge(List.of(delivery));
      subscription.acknowledge(List.of(delivery)); // again: passed over, not a channel error
      publish(2, 2);
      intake.awaitDeliveries(2);
      assertThat(intake.events()).containsExactly("subscribed");
    }
    assertThat(vhost.drainIds(queue)).containsExactly("m2");
  }

  @Test
  void acknowledgementsLeaveExactlyTheOthersUnacknowledged() throws Exception {
    publish(1, 10);
    try (Subscription subscription = source.subscribe(intake, 20)) {
      List<Delivery> all = intake.awaitDeliveries(10);
      subscription.acknowledge(List.of(all.get(0), all.get(1), all.get(3), all.get(5), all.get(8)));
      subscription.giveBack(List.of(all.get(6)));
      subscription.acknowledge(List.of(all.get(4), all.get(2))); // closes the holes up to m6
      Await.until("m7 to come again", LIMIT, () -> intake.deliveries().size() == 11);
      assertThat(ids(List.of(intake.last()))).containsExactly("m7");
      assertThat(intake.last().redelivered()).isTrue();
      // not closed by us, so nothing is given back politely: what is unacknowledged shows
      node.closeConnections(vhost.name());
      intake.awaitDeliveries(14);
      assertThat(ids(intake.deliveries().subList(11, 14)))
          .containsExactlyInAnyOrder("m7", "m8", "m10");
    }
    assertThat(vhost.drainIds(queue)).containsExactlyInAnyOrder("m7", "m8", "m10");
    assertThat(node.log()).doesNotContain("unknown delivery tag");
  }

  @Test
  void closeGivesBackAndLeavesNothingBehind() throws Exception {
    publish(1, 5);
    Subscription subscription = source.subscribe(intake, 3);
    List<Delivery> held = intake.awaitDeliveries(3);
    subscription.acknowledge(held.subList(0, 1));
    intake.awaitDeliveries(4);
    subscription.close();
    subscription.close();
    assertThat(intake.deliveries()).noneMatch(Delivery::live);
    assertThat(subscription.subscribed()).isFalse();
    subscription.acknowledge(held);
    assertThat(vhost.drainIds(queue)).containsExactlyInAnyOrder("m2", "m3", "m4", "m5");
    assertThat(intake.events()).containsExactly("subscribed");
    Await.until("no connection", LIMIT, () -> node.connectionCount(vhost.name()) == 0);
    Await.until("no thread", LIMIT, () -> loops() == 0);
  }

  private long loops() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals("semel-rabbitmq-" + queue))
        .count();
  }

  @Test
  void subscriptionsShareAConnectionAndEndOnTheirOwn() throws Exception {
    RecordingIntake other = new RecordingIntake();
    Subscription first = source.subscribe(intake, 10);
    Subscription second = source.subscribe(other, 10);
    intake.awaitEvents(1);
    other.awaitEvents(1);
    assertThat(vhost.consumerCount(queue)).isEqualTo(2);
    Await.until("one connection", LIMIT, () -> node.connectionCount(vhost.name()) == 1);
    first.close();
    assertThat(vhost.consumerCount(queue)).isEqualTo(1);
    publish(1, 1);
    second.acknowledge(other.awaitDeliveries(1));
    second.close();
    assertThat(vhost.drainIds(queue)).isEmpty();
    // the same source can be used again after its last subscription
    try (Subscription third = source.subscribe(intake, 10)) {
      intake.awaitEvents(2);
      assertThat(third.subscribed()).isTrue();
    }
  }

  @Test
  void notWantedTakesNothingNewAndKeepsWhatIsHeld() throws Exception {
    publish(1, 3);
    try (Subscription subscription = source.subscribe(intake, 3)) {
      List<Delivery> held = intake.awaitDeliveries(3);
      subscription.wanted(false);
      Await.until("no consumer", LIMIT, () -> vhost.consumerCount(queue) == 0);
      assertThat(subscription.subscribed()).isFalse();
      publish(4, 4);
      assertThat(held).allMatch(Delivery::live);
      subscription.acknowledge(held.subList(0, 2));
      Await.until("m4 to wait", LIMIT, () -> vhost.readyCount(queue) == 1);
      assertThat(intake.deliveries()).hasSize(3);
      subscription.wanted(true);
      intake.awaitDeliveries(4);
      assertThat(ids(intake.deliveries())).containsExactly("m1", "m2", "m3", "m4");
      assertThat(held.get(2).live()).isTrue();
      subscription.acknowledge(List.of(intake.last(), held.get(2)));
      intake.awaitEvents(2);
      assertThat(intake.events()).containsExactly("subscribed", "subscribed");
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
  }

  @Test
  void settlesOnlyItsOwnDeliveries() {
    try (Subscription subscription = source.subscribe(intake, 3)) {
      Delivery foreign =
          new Delivery() {
            @Override
            public Message message() {
              return Message.builder().build();
            }

            @Override
            public boolean redelivered() {
              return false;
            }

            @Override
            public boolean live() {
              return true;
            }
          };
      assertThatThrownBy(() -> subscription.acknowledge(List.of(foreign)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a delivery of RabbitMQ");
    }
  }

  @Test
  void anIntakeThatThrowsLosesNothing() throws Exception {
    publish(1, 1);
    RecordingIntake afterFirst = new RecordingIntake();
    try (Subscription subscription = source.subscribe(new FailingOnce(afterFirst), 3)) {
      Delivery again = afterFirst.awaitDeliveries(1).get(0);
      assertThat(again.redelivered()).isTrue();
      afterFirst.awaitEvents(3);
      assertThat(afterFirst.events().get(1))
          .isEqualTo("lost: a delivery could not be handed over: AssertionError");
      subscription.acknowledge(List.of(again));
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
  }

  private static final class FailingOnce implements dev.semel.spi.Intake {
    private final RecordingIntake then;
    private boolean failed;

    FailingOnce(RecordingIntake then) {
      this.then = then;
    }

    @Override
    public void received(Delivery delivery) {
      if (!failed) {
        failed = true;
        throw new AssertionError("meant by the test");
      }
      then.received(delivery);
    }

    @Override
    public void subscribed() {
      then.subscribed();
      throw new IllegalStateException("meant by the test");
    }

    @Override
    public void lost(String reason) {
      then.lost(reason);
      throw new IllegalStateException("meant by the test");
    }
  }

  /** A database that comes and goes must not fill the heap: the prefetch bounds what is held. */
  @Test
  void aFullSubscriptionGetsNoNewConsumer() throws Exception {
    publish(1, 100);
    try (Subscription subscription = source.subscribe(intake, 10)) {
      intake.awaitDeliveries(10);
      for (int flap = 0; flap < 5; flap++) {
        subscription.wanted(false);
        Await.until("no consumer", LIMIT, () -> vhost.consumerCount(queue) == 0);
        subscription.wanted(true);
      }
      subscription.acknowledge(intake.deliveries().subList(0, 1));
      Await.until("a consumer again", LIMIT, () -> vhost.consumerCount(queue) == 1);
      intake.awaitDeliveries(20);
      assertThat(vhost.readyCount(queue)).isEqualTo(80);
      assertThat(intake.deliveries()).hasSize(20);
    }
  }
}
