package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.ConfigurationException;
import dev.semel.spi.MessageSource;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What can be found out about a queue without the management API, and what follows from it. */
class QueueFactsTest {

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private RabbitNode node;
  private TestVhost vhost;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("facts");
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void remove() throws Exception {
    logger().detachAppender(log);
    vhost.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("dev.semel.rabbitmq");
  }

  private List<String> warnings() {
    return log.list.stream()
        .filter(each -> each.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private QueueFacts facts(String queue) throws Exception {
    try (Connection connection = vhost.connect()) {
      return QueueInquiry.facts(connection, queue);
    }
  }

  private MessageSource checked(RabbitSourceBuilder builder) {
    MessageSource source = (MessageSource) builder.build();
    source.check();
    return source;
  }

  private MessageSource checked(String queue) {
    return checked(RabbitMq.source(vhost.amqpUri(), queue));
  }

  @Test
  void aPlainQueue() throws Exception {
    QueueFacts facts = facts(vhost.declareQueue("plain"));
    assertThat(facts.arguments()).isEmpty();
    assertThat(facts.durable()).isTrue();
    assertThat(facts.autoDelete()).isFalse();
    assertThat(facts.version().atLeast(3, 10)).isTrue();
    assertThat(checked("plain").oneProcessAtATime()).isFalse();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void aQuorumQueueWithEverything() throws Exception {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("x-queue-type", "quorum");
    arguments.put("x-delivery-limit", 3);
    arguments.put("x-dead-letter-exchange", "it's  'dead'");
    arguments.put("x-dead-letter-routing-key", "rk");
    arguments.put("x-dead-letter-strategy", "at-least-once");
    arguments.put("x-overflow", "reject-publish");
    arguments.put("x-max-length", 100_000L);
    arguments.put("x-max-length-bytes", 5_000_000_000L);
    arguments.put("x-message-ttl", (short) 30_000);
    arguments.put("x-expires", 1_000_000);
    arguments.put("x-single-active-consumer", true);
    arguments.put("x-quorum-initial-group-size", (byte) 1);
    vhost.declareQueue("a 'quorum' queue", arguments);
    QueueFacts facts = facts("a 'quorum' queue");
    Map<String, Object> expected = new LinkedHashMap<>();
    arguments.forEach(
        (name, value) -> expected.put(name, value instanceof Number n ? n.longValue() : value));
    assertThat(facts.arguments()).isEqualTo(expected);
    assertThat(facts.deliveryLimit()).isEqualTo(3);
    assertThat(checked("a 'quorum' queue").oneProcessAtATime()).isTrue();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void aClassicQueueWithASingleActiveConsumer() throws Exception {
    Map<String, Object> arguments =
        Map.of("x-single-active-consumer", true, "x-max-priority", 5, "x-queue-mode", "lazy");
    vhost.declareQueue("single", arguments);
    MessageSource source = (MessageSource) RabbitMq.queue(vhost.amqpUri(), "single");
    assertThat(source.oneProcessAtATime()).isFalse();
    source.check();
    assertThat(source.oneProcessAtATime()).isTrue();
    assertThatCode(() -> checked(RabbitMq.source(vhost.amqpUri(), "single").singleActiveConsumer()))
        .doesNotThrowAnyException();
    vhost.declareQueue("said no", Map.of("x-single-active-consumer", false));
    assertThat(checked("said no").oneProcessAtATime()).isFalse();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void saidToBeWhatItIsNot() throws Exception {
    vhost.declareQueue("plain");
    RabbitSourceBuilder builder = RabbitMq.source(vhost.amqpUri(), "plain").singleActiveConsumer();
    assertThatThrownBy(() -> checked(builder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "RabbitMQ at 127.0.0.1:%d has queue 'plain' in vhost '%s' without a single active"
                + " consumer, though singleActiveConsumer() says that it has one: declare it anew"
                + " with x-single-active-consumer = true, or leave singleActiveConsumer() out",
            node.port(), vhost.name());
  }

  @Test
  void withoutThePermissionToConfigureOnlyWhatIsSaidCounts() throws Exception {
    vhost.declareQueue("single", Map.of("x-single-active-consumer", true));
    vhost.declareQueue("limit", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1));
    String uri = new LimitedUser(node, vhost).amqpUri();
    assertThat(checked(RabbitMq.source(uri, "single")).oneProcessAtATime()).isFalse();
    assertThat(checked(RabbitMq.source(uri, "limit").singleActiveConsumer()).oneProcessAtATime())
        .isTrue();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void warnsOfALimitThatDropsMessages() throws Exception {
    vhost.declareQueue("limit", Map.of("x-queue-type", "quorum", "x-delivery-limit", 2));
    checked("limit");
    assertThat(warnings())
        .hasSize(2)
        .anyMatch(line -> line.startsWith("queue 'limit' has x-delivery-limit 2"))
        .anyMatch(line -> line.startsWith("queue 'limit' has no x-dead-letter-exchange"));
  }

  @Test
  void queuesThatDoNotLastAndStreams() throws Exception {
    try (Connection connection = vhost.connect()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("transient", false, false, true, Map.of());
      channel.queueDeclare("stream", true, false, false, Map.of("x-queue-type", "stream"));
      channel.queueDeclare(
          "aging", true, false, false, Map.of("x-queue-type", "stream", "x-max-age", "1h"));
    }
    QueueFacts facts = facts("transient");
    assertThat(facts.durable()).isFalse();
    assertThat(facts.autoDelete()).isTrue();
    checked("transient");
    checked("stream");
    checked("aging");
    assertThat(warnings())
        .hasSize(4)
        .anyMatch(line -> line.startsWith("queue 'transient' is an auto-delete queue"))
        .anyMatch(line -> line.startsWith("queue 'transient' is not durable"))
        .anyMatch(line -> line.startsWith("queue 'stream' is a stream"))
        .anyMatch(line -> line.startsWith("queue 'aging' is a stream"));
  }

  /** RabbitMQ cuts its answer after 252 bytes; the shorter form of it may still be whole. */
  @Test
  void longNames() throws Exception {
    Map<String, Object> arguments =
        Map.of(
            "x-dead-letter-exchange",
            "",
            "x-dead-letter-routing-key",
            "k".repeat(40),
            "x-single-active-consumer",
            true,
            "x-max-length",
            1000);
    String readable = vhost.declareQueue("q".repeat(62), arguments);
    assertThat(facts(readable).arguments())
        .containsEntry("x-dead-letter-routing-key", "k".repeat(40))
        .containsEntry("x-single-active-consumer", true);
    String unreadable = vhost.declareQueue("q".repeat(200), arguments);
    assertThat(facts(unreadable)).isNull();
    assertThat(checked(unreadable).oneProcessAtATime()).isFalse();
  }

  /** The queue may be deleted after it was seen to be there. */
  @Test
  void neverMakesAQueue() throws Exception {
    assertThat(facts("absent")).isNull();
    assertThat(node.queues(vhost.name())).isEmpty();
  }
}
