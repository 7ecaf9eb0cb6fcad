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
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All that is held goes back, and a new start is made. */
class RenewTest {

  private static final String REASON = "meant by the test";

  private final RecordingIntake intake = new RecordingIntake();
  private RabbitNode node;
  private TestVhost vhost;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("renew");
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private void declareAndPublish(Map<String, Object> arguments) throws Exception {
    vhost.declareQueue("q", arguments);
    for (int i = 1; i <= 6; i++) {
      vhost.publish("q", "m" + i, "x");
    }
  }

  private MessageSource source(String uri) {
    return (MessageSource) RabbitMq.queue(uri, "q");
  }

  /**
   * Before RabbitMQ 4.3 a quorum queue without a limit would put what is nacked behind the rest.
   */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void theSameComesAgainInItsOrder(String type) throws Exception {
    declareAndPublish(Map.of("x-queue-type", type));
    try (Subscription subscription = source(vhost.amqpUri()).subscribe(intake, 3)) {
      List<Delivery> old = intake.awaitDeliveries(3);
      subscription.renew(REASON);
      List<Delivery> copies = intake.awaitDeliveries(6).subList(3, 6);
      assertThat(ids(copies)).containsExactly("m1", "m2", "m3");
      assertThat(old).noneMatch(Delivery::live);
      assertThat(copies).allMatch(Delivery::live).allMatch(Delivery::suspect);
      subscription.acknowledge(old); // passed over
      assertThat(subscription.held()).isEqualTo(3);
      subscription.acknowledge(copies);
      subscription.acknowledge(intake.awaitDeliveries(9).subList(6, 9));
      assertThat(ids(intake.deliveries().subList(6, 9))).containsExactly("m4", "m5", "m6");
      assertThat(vhost.consumerCount("q")).isEqualTo(1);
      assertThat(intake.events()).containsExactly("subscribed", "subscribed");
    }
    assertThat(vhost.drainIds("q")).isEmpty();
    assertThat(node.log()).doesNotContain("unknown delivery tag");
  }

  /** Whoever comes next must not begin with what comes after the messages that are held here. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void inOrderAlsoForTheNextProcess(String type) throws Exception {
    declareAndPublish(Map.of("x-queue-type", type, "x-single-active-consumer", true));
    RecordingIntake next = new RecordingIntake();
    MessageSource first = source(vhost.amqpUri());
    MessageSource second = source(vhost.amqpUri());
    first.check();
    try (Subscription subscription = first.subscribe(intake, 3)) {
      intake.awaitDeliveries(3);
      try (Subscription waiting = second.subscribe(next, 10)) {
        next.awaitEvents(1);
        assertThat(waiting.held()).isZero();
        subscription.renew(REASON);
        List<Delivery> all = next.awaitDeliveries(6);
        assertThat(ids(all)).containsExactly("m1", "m2", "m3", "m4", "m5", "m6");
        waiting.acknowledge(all);
        intake.awaitEvents(2);
        assertThat(intake.events()).containsExactly("subscribed", "subscribed");
      }
    }
    assertThat(vhost.readyCount("q")).isZero();
  }

  @Test
  void whileNothingIsWantedItOnlyGivesBack() throws Exception {
    declareAndPublish(Map.of());
    try (Subscription subscription = source(vhost.amqpUri()).subscribe(intake, 3)) {
      List<Delivery> old = intake.awaitDeliveries(3);
      subscription.wanted(false);
      Await.until("no consumer", LIMIT, () -> vhost.consumerCount("q") == 0);
      assertThat(old).allMatch(Delivery::live);
      subscription.renew(REASON);
      Await.until("all back", LIMIT, () -> vhost.readyCount("q") == 6);
      assertThat(old).noneMatch(Delivery::live);
      assertThat(subscription.held()).isZero();
      assertThat(subscription.subscribed()).isFalse();
      assertThat(intake.events()).containsExactly("subscribed");
      subscription.wanted(true);
      assertThat(ids(intake.awaitDeliveries(6).subList(3, 6))).containsExactly("m1", "m2", "m3");
    }
  }

  @Test
  void theChannelOfACancelledConsumerGoesToo() throws Exception {
    declareAndPublish(Map.of());
    try (Subscription subscription = source(vhost.amqpUri()).subscribe(intake, 10)) {
      List<Delivery> old = intake.awaitDeliveries(6);
      vhost.deleteQueue("q");
      intake.awaitEvents(2);
      vhost.declareQueue("q");
      intake.awaitEvents(3);
      assertThat(old).allMatch(Delivery::live);
      subscription.renew(REASON);
      intake.awaitEvents(4);
      assertThat(old).noneMatch(Delivery::live);
      assertThat(subscription.held()).isZero();
      assertThat(intake.events().get(3)).isEqualTo("subscribed");
    }
  }

  @Test
  void ifThereIsNoNewStartItIsALossAfterAll() throws Exception {
    declareAndPublish(Map.of());
    LimitedUser user = new LimitedUser(node, vhost);
    try (Subscription subscription = source(user.amqpUri()).subscribe(intake, 3)) {
      intake.awaitDeliveries(3);
      user.mayRead("");
      subscription.renew(REASON);
      intake.awaitEvents(2);
      assertThat(intake.events().get(1))
          .startsWith("lost: no consumer after a new start: 403 ACCESS_REFUSED");
      assertThat(subscription.subscribed()).isFalse();
      assertThat(vhost.readyCount("q")).isEqualTo(6);
      user.mayRead(".*");
      intake.awaitEvents(3);
      assertThat(intake.events().get(2)).isEqualTo("subscribed");
      assertThat(ids(intake.awaitDeliveries(6).subList(3, 6))).containsExactly("m1", "m2", "m3");
    }
  }
}
