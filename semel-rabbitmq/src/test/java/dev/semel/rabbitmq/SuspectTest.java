package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.spi.Delivery;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.TestVhost;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which deliveries are not clean first ones. */
class SuspectTest {

  private final RecordingIntake intake = new RecordingIntake();
  private TestVhost vhost;

  @BeforeEach
  void prepare() throws Exception {
    vhost = SharedNode.get().createVhost("suspect");
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private Subscription subscribe(String queue) {
    return ((MessageSource) RabbitMq.queue(vhost.amqpUri(), queue)).subscribe(intake, 10);
  }

  @Test
  void whatWasReturned() throws Exception {
    for (String type : new String[] {"classic", "quorum"}) {
      vhost.declareQueue(type, Map.of("x-queue-type", type));
      vhost.publish(type, "m1", "x");
      int before = intake.deliveries().size();
      try (Subscription subscription = subscribe(type)) {
        Delivery first = intake.awaitDeliveries(before + 1).get(before);
        assertThat(first.suspect()).isFalse();
        subscription.giveBack(List.of(first));
        Delivery second = intake.awaitDeliveries(before + 2).get(before + 1);
        assertThat(second.redelivered()).isTrue();
        assertThat(second.suspect()).isTrue();
        assertThat(second.message().headers().containsKey("x-delivery-count"))
            .isEqualTo(type.equals("quorum"));
      }
    }
  }

  /** RabbitMQ 3.10 gives the first two their counter, but not the flag. */
  @Test
  void countedButNotFlagged() throws Exception {
    String queue = vhost.declareQueue("q");
    vhost.publish(queue, "m1", "x", Map.of("x-delivery-count", 0L));
    vhost.publish(queue, "m2", "x", Map.of("x-delivery-count", 1L));
    vhost.publish(queue, "m3", "x", Map.of("x-acquired-count", 1));
    vhost.publish(queue, "m4", "x", Map.of("x-delivery-count", "many"));
    vhost.publish(queue, "m5", "x", Map.of("x-death", List.of()));
    try (Subscription subscription = subscribe(queue)) {
      List<Delivery> all = intake.awaitDeliveries(5);
      assertThat(all).noneMatch(Delivery::redelivered);
      assertThat(all.stream().map(Delivery::suspect))
          .containsExactly(false, true, true, false, false);
      subscription.acknowledge(all);
    }
  }

  @Test
  void whatComesFromADeadLetterExchange() throws Exception {
    vhost.declareQueue("dead");
    vhost.declareQueue(
        "q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
    vhost.publish("q", "m1", "x");
    try (Connection connection = vhost.connect()) {
      Channel channel = connection.createChannel();
      channel.basicReject(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false);
      channel.queueDeclarePassive("q");
    }
    try (Subscription subscription = subscribe("dead")) {
      Delivery delivery = intake.awaitDeliveries(1).get(0);
      assertThat(delivery.redelivered()).isFalse();
      assertThat(delivery.suspect()).isTrue();
      subscription.acknowledge(List.of(delivery));
    }
  }
}
