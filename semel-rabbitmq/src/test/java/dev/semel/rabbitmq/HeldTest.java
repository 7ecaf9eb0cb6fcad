package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a subscription holds unsettled. */
class HeldTest {

  private final RecordingIntake intake = new RecordingIntake();
  private RabbitNode node;
  private TestVhost vhost;
  private String queue;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("held");
    queue = vhost.declareQueue("q");
    for (int i = 1; i <= 3; i++) {
      vhost.publish(queue, "m" + i, "x");
    }
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private Subscription subscribe(Intake to) {
    return ((MessageSource) RabbitMq.queue(vhost.amqpUri(), queue)).subscribe(to, 10);
  }

  @Test
  void goesDownWithWhatIsSettled() throws Exception {
    try (Subscription subscription = subscribe(intake)) {
      List<Delivery> all = intake.awaitDeliveries(3);
      assertThat(subscription.held()).isEqualTo(3);
      subscription.acknowledge(all.subList(0, 2));
      assertThat(subscription.held()).isEqualTo(1);
      subscription.giveBack(all.subList(2, 3));
      Delivery again = intake.awaitDeliveries(4).get(3);
      assertThat(subscription.held()).isEqualTo(1);
      subscription.acknowledge(all);
      assertThat(subscription.held()).isEqualTo(1);
      subscription.acknowledge(List.of(again));
      assertThat(subscription.held()).isZero();
      vhost.publish(queue, "m4", "x");
      intake.awaitDeliveries(5);
      assertThat(subscription.held()).isEqualTo(1);
      node.closeConnections(vhost.name());
      intake.awaitEvents(2);
      Delivery copy = intake.awaitDeliveries(6).get(5);
      assertThat(subscription.held()).isEqualTo(1);
      subscription.acknowledge(List.of(copy));
      assertThat(subscription.held()).isZero();
    }
  }

  @Test
  void isNothingAfterTheEnd() throws Exception {
    Subscription subscription = subscribe(intake);
    intake.awaitDeliveries(3);
    subscription.close();
    assertThat(subscription.held()).isZero();
  }

  @Test
  void countsWhatTheChannelOfACancelledConsumerHolds() throws Exception {
    try (Subscription subscription = subscribe(intake)) {
      List<Delivery> old = intake.awaitDeliveries(3);
      vhost.deleteQueue(queue);
      intake.awaitEvents(2);
      assertThat(subscription.held()).isEqualTo(3);
      vhost.declareQueue(queue);
      vhost.publish(queue, "m4", "x");
      Delivery fresh = intake.awaitDeliveries(4).get(3);
      assertThat(subscription.held()).isEqualTo(4);
      subscription.acknowledge(old);
      assertThat(subscription.held()).isEqualTo(1);
      subscription.acknowledge(List.of(fresh));
      assertThat(subscription.held()).isZero();
    }
  }

  /** While nothing is wanted, 0 is said only once nothing can come any more. */
  @Test
  void countsWhatIsInTheClientsBuffer() throws Exception {
    Blocking blocking = new Blocking();
    try (Subscription subscription = subscribe(blocking)) {
      blocking.entered.await();
      subscription.wanted(false);
      Await.until("no consumer", LIMIT, () -> vhost.consumerCount(queue) == 0);
      Await.until("cancelled", LIMIT, () -> !subscription.subscribed());
      assertThat(subscription.held()).isEqualTo(1);
      subscription.acknowledge(blocking.received);
      assertThat(subscription.held()).isEqualTo(1); // two more wait behind the intake
      blocking.release.countDown();
      Await.until("the rest", LIMIT, () -> blocking.received.size() == 3);
      Await.until("two", LIMIT, () -> subscription.held() == 2);
      subscription.acknowledge(blocking.received);
      Await.until("nothing", LIMIT, () -> subscription.held() == 0);
      vhost.publish(queue, "m4", "x");
      assertThat(subscription.held()).isZero();
      subscription.wanted(true);
      Await.until("m4", LIMIT, () -> subscription.held() == 1);
    }
  }

  /** Sits in its first delivery until it is released. */
  private static final class Blocking implements Intake {
    private final List<Delivery> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @Override
    public void received(Delivery delivery) {
      received.add(delivery);
      entered.countDown();
      try {
        release.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void subscribed() {}

    @Override
    public void lost(String reason) {}
  }
}
