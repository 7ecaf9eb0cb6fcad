package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.AMQP;
import dev.semel.Consumer;
import dev.semel.Fingerprint;
import dev.semel.Identity;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The four choices of what makes two deliveries one message, through broker and inbox. */
@WithServices
class FourIdentitiesTest {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String ONE_ORDER = "{\"order\":7,\"amount\":10}";
  private static final String SAME_ORDER = "{\"amount\":10,\"order\":7}";

  private final TestDatabase database;
  private final TestVhost vhost;
  private final RabbitNode broker;
  private final Ledger ledger;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Semel semel;
  private String queue;

  FourIdentitiesTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    this.database = database;
    this.vhost = vhost;
    this.broker = broker;
    this.ledger = Ledger.in(database);
    this.semel = Semel.builder(database.runtimeDataSource()).lanes(1).build();
  }

  @BeforeEach
  void begin() throws IOException, SQLException {
    queue = vhost.declareQueue(vhost.unique("q"));
    database.executeAsOwner("TRUNCATE public.effects, semel.parked_messages");
    log.start();
    ((Logger) LoggerFactory.getLogger("dev.semel")).addAppender(log);
  }

  @AfterEach
  void end() throws IOException {
    ((Logger) LoggerFactory.getLogger("dev.semel")).detachAppender(log);
    vhost.deleteQueue(queue);
  }

  @Test
  void thereAreExactlyFourChoices() {
    assertThat(
            Arrays.stream(Identity.class.getDeclaredMethods())
                .filter(
                    m -> Modifier.isStatic(m.getModifiers()) && Modifier.isPublic(m.getModifiers()))
                .filter(m -> m.getReturnType() == Identity.class)
                .map(Method::getName))
        .containsExactlyInAnyOrder("messageId", "header", "key", "bodyHashAsLastResort");
    assertThat(Identity.class.getConstructors()).isEmpty();
  }

  @Test
  void theMessageIdIsTheDefault() throws IOException, SQLException {
    apply(
        Consumer.named("by-message-id").build(),
        message("1", Map.of(), ONE_ORDER),
        message("2", Map.of(), ONE_ORDER),
        message("1", Map.of(), ONE_ORDER));
    assertThat(ledger.effects("1")).isEqualTo(1);
    assertThat(ledger.effects("2")).isEqualTo(1);
    assertThat(warnings()).isEmpty();
  }

  @Test
  void aHeader() throws IOException, SQLException {
    apply(
        Consumer.named("by-header").identity(Identity.header("order")).build(),
        message("1", Map.of("order", 7), ONE_ORDER),
        message("2", Map.of("order", "7"), ONE_ORDER),
        message("2", Map.of("order", "8"), ONE_ORDER));
    assertThat(ledger.effects("1")).isEqualTo(1);
    assertThat(ledger.effects("2")).isEqualTo(1);
    assertThat(warnings()).isEmpty();
  }

  /** The producer made up a new id for its second try; the key of the business sees through it. */
  @Test
  void aKeyOfTheBusiness() throws IOException, SQLException {
    apply(
        Consumer.named("by-key")
            .identity(byOrderAndOperation())
            .fingerprint(Fingerprint.none())
            .build(),
        message("1", Map.of("operation", "charge"), ONE_ORDER),
        message("2", Map.of("operation", "charge"), SAME_ORDER),
        message("3", Map.of("operation", "refund"), ONE_ORDER));
    assertThat(ledger.effects("1")).isEqualTo(1);
    assertThat(ledger.effects("2")).isZero();
    assertThat(ledger.effects("3")).isEqualTo(1);
    assertThat(ledger.parked()).isZero();
    assertThat(warnings()).isEmpty();
  }

  /** With the default fingerprint, too, it is one effect; the other bytes are kept for a person. */
  @Test
  void aKeyOfTheBusinessWithOtherBytesIsAConflict() throws IOException, SQLException {
    apply(
        Consumer.named("by-key-conflict").identity(byOrderAndOperation()).build(),
        message("1", Map.of("operation", "charge"), ONE_ORDER),
        message("2", Map.of("operation", "charge"), SAME_ORDER));
    assertThat(ledger.effects()).isEqualTo(1);
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
  }

  @Test
  void aHashOfTheBodyAsLastResort() throws IOException, SQLException {
    apply(
        Consumer.named("by-body").identity(Identity.bodyHashAsLastResort()).build(),
        message(null, Map.of(), ONE_ORDER),
        message(null, Map.of(), SAME_ORDER),
        message(null, Map.of(), ONE_ORDER));
    assertThat(ledger.effects()).as("other order of fields, other message").isEqualTo(2);
    assertThat(warnings()).hasSize(1);
    assertThat(warnings().get(0))
        .contains("consumer 'by-body'")
        .contains("two messages with equal bytes are one")
        .contains("serialised twice in different ways");
  }

  /** Through the inbox, for each of the choices that can miss. */
  @Test
  void aBadIdentityIsARowOfItsOwnForEachDelivery() throws SQLException {
    byte[] body = {0, 1, (byte) 0xff};
    Message bad = Message.builder().header("h", "x\0y").body(body).build();
    Map<Identity, String> choices =
        Map.of(
            Identity.messageId(), "no id: message-id is missing",
            Identity.header("none"), "no id: header none is missing",
            Identity.header("h"), "unusable id: header h has a NUL in it",
            Identity.key(m -> " "), "no id: key is blank",
            Identity.key(m -> "a\ud800"), "unusable id: key is not UTF-8",
            Identity.key(m -> null), "no id: key is missing",
            Identity.key(FourIdentitiesTest::broken),
                "key extractor failed: java.lang.IllegalStateException: no such field");
    int rows = 0;
    for (Map.Entry<Identity, String> choice : choices.entrySet()) {
      Inbox inbox = semel.inbox(Consumer.named("bad-ids").identity(choice.getKey()).build());
      for (int delivery = 1; delivery <= 2; delivery++) {
        assertThat(inbox.process(bad, FourIdentitiesTest::neverRun))
            .isEqualTo(new Outcome.Parked(choice.getValue()));
        assertThat(ledger.parked()).isEqualTo(++rows);
      }
      assertThat(ledger.parked(choice.getValue())).isEqualTo(2);
    }
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.parked_messages WHERE message_id IS NULL AND copies = 0"
                    + " AND state = 'dead' AND body = '\\x0001ff'"))
        .isEqualTo(rows);
    assertThat(semel.inbox("bad-ids").process(Message.builder().id("good").build(), Ledger::apply))
        .isEqualTo(new Outcome.Applied());
  }

  private static String broken(Message message) {
    throw new IllegalStateException("no such field");
  }

  private static void neverRun(Message message, dev.semel.Tx tx) {
    throw new AssertionError("the handler was entered");
  }

  /** What an extractor of a real consumer does, without its JSON parser. */
  private static Identity byOrderAndOperation() {
    return Identity.key(
        m -> m.text().replaceAll(".*\"order\":(\\d+).*", "$1") + ":" + m.headerText("operation"));
  }

  private TestVhost.Publication message(String id, Map<String, Object> headers, String body) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder().messageId(id).headers(headers).deliveryMode(2).build(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  /** A real worker on the real broker, until nothing is left in the queue. */
  private void apply(Consumer choice, TestVhost.Publication... messages) throws IOException {
    vhost.publishAll(List.of(messages));
    Consumer consumer =
        Consumer.named(choice.name())
            .identity(choice.identity())
            .fingerprint(choice.fingerprint())
            .source(RabbitMq.queue(vhost.amqpUri(), queue))
            .handler(Ledger::apply)
            .build();
    try (Worker worker = semel.start(consumer)) {
      assertThat(worker.health()).isNotNull();
      Await.until(
          "the queue is empty", DEADLINE, () -> broker.messageCount(vhost.name(), queue) == 0);
    }
  }

  private List<String> warnings() {
    return log.list.stream()
        .filter(e -> e.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}
