package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Delivery;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.TestVhost;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** F31: a message that is too large stops nobody. */
class OversizedTest {

  private static final int MIB = 1024 * 1024;

  private final RecordingIntake intake = new RecordingIntake();
  private TestVhost vhost;
  private String queue;

  @BeforeEach
  void prepare() throws Exception {
    vhost = SharedNode.get().createVhost("oversized");
    queue = vhost.declareQueue("q");
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  @Test
  void isRefusedAmongSmallOnesThatCome() throws Exception {
    vhost.publish(queue, "m1", "x");
    vhost.publish(queue, "exact", "x".repeat(MIB));
    vhost.publish(queue, "large", "x".repeat(2 * MIB));
    vhost.publish(queue, "m2", "x");
    MessageSource source =
        (MessageSource) RabbitMq.source(vhost.amqpUri(), queue).maxMessageBytes(MIB).build();
    try (Subscription subscription = source.subscribe(intake, 10)) {
      List<Delivery> all = intake.awaitDeliveries(4);
      assertThat(ids(all)).containsExactly("m1", "exact", "large", "m2");
      assertThat(all.stream().map(Delivery::refusal))
          .containsExactly(
              null, null, "larger than maxMessageBytes: 2097152 bytes, 1048576 allowed", null);
      assertThat(all.get(2).message().size()).isEqualTo(2 * MIB);
      subscription.acknowledge(all);
      vhost.publish(queue, "m3", "x");
      subscription.acknowledge(intake.awaitDeliveries(5).subList(4, 5));
      assertThat(all).allMatch(Delivery::live);
      assertThat(intake.events()).containsExactly("subscribed");
    }
    assertThat(vhost.drainIds(queue)).isEmpty();
  }

  /** What the client itself does not read ends the connection; then the reason has to help. */
  @Test
  void beyondTheHardLimitTheReasonNamesQueueAndSizes() throws Exception {
    MessageSource source =
        new RabbitSource(new Broker(BrokerUri.parse(vhost.amqpUri()), MIB), queue, MIB, false);
    try (Subscription subscription = source.subscribe(intake, 10)) {
      intake.awaitEvents(1);
      vhost.publish(queue, "exact", "x".repeat(MIB));
      subscription.acknowledge(intake.awaitDeliveries(1));
      vhost.publish(queue, "large", "x".repeat(2 * MIB));
      intake.awaitEvents(2);
      assertThat(intake.events().get(1))
          .startsWith("lost: connection closed while queue 'q' was read: ")
          .contains("2097152", "1048577");
    }
    assertThat(vhost.drainIds(queue)).containsExactly("large");
  }
}
