package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.semel.BadOutgoingException;
import dev.semel.Consumer;
import dev.semel.Handler;
import dev.semel.HandlerFailedException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Order;
import dev.semel.Outbox;
import dev.semel.Outgoing;
import dev.semel.Selection;
import dev.semel.Semel;
import dev.semel.TransactionMisuseException;
import dev.semel.Worker;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What goes into the outbox, under which id, and how it comes out. */
class OutboxTest extends OutboxScene {

  OutboxTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  private Inbox inbox(String consumer) {
    return semel().inbox(Consumer.named(consumer).build());
  }

  private static Message message(String id) {
    return Message.builder().id(id).body("order " + id).build();
  }

  @Test
  void everythingOfAMessageArrives() throws Exception {
    Instant before = Instant.now().minusSeconds(2);
    UUID id =
        add(
            toOut("body")
                .type("payment.confirmed")
                .contentType("text/plain")
                .header("text", "a \" \\ \n ü \0")
                .header("number", 7L)
                .header("small", 7)
                .header("yes", true)
                .header("bytes", new byte[] {1, 2})
                .header("list", List.of("a", 1L))
                .header("nothing", null)
                .header("table", Map.of("t", "looks like a type", "v", "text"))
                .header("when", Instant.parse("2026-01-02T03:04:05Z")));
    startRelay();
    awaitOutboxEmpty();
    Arrived one = arrived().get(0);
    BasicProperties properties = one.message().getProps();
    assertThat(one.body()).isEqualTo("body");
    assertThat(properties.getMessageId()).isEqualTo(id.toString());
    assertThat(id.version()).isEqualTo(7);
    assertThat(properties.getType()).isEqualTo("payment.confirmed");
    assertThat(properties.getContentType()).isEqualTo("text/plain");
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getTimestamp().toInstant()).isBetween(before, Instant.now());
    Map<String, Object> headers = properties.getHeaders();
    assertThat(headers.get("text")).hasToString("a \" \\ \n ü \0");
    assertThat(headers.get("number")).isEqualTo(7L);
    assertThat(headers.get("small")).isEqualTo(7);
    assertThat(headers.get("yes")).isEqualTo(true);
    assertThat(headers.get("list")).hasToString("[a, 1]");
    assertThat(headers.get("table")).hasToString("{t=looks like a type, v=text}");
    assertThat(headers.get("when"))
        .isEqualTo(java.util.Date.from(Instant.parse("2026-01-02T03:04:05Z")));
    assertThat(headers.get("semel-attempt")).isEqualTo(1);
    assertThat(headers).containsKeys("bytes", "nothing");
  }

  /** Not even the id of a message that was rolled back is ever seen outside. */
  @Test
  void whatIsRolledBackNeverLeaves() throws Exception {
    startRelay();
    Handler failing =
        (message, tx) -> {
          tx.send(toOut("never").build());
          throw new IllegalStateException("after all");
        };
    assertThatThrownBy(() -> inbox("payments").process(message("m-0"), failing))
        .isInstanceOf(HandlerFailedException.class);
    try (Connection connection = dataSource().getConnection()) {
      connection.setAutoCommit(false);
      semel().outbox().add(connection, toOut("nor this").build());
      connection.rollback();
    }
    add(toOut("but this"));
    awaitOutboxEmpty();
    assertOnceEach(List.of("but this"));
  }

  /** The same message has the same ids in each run; another consumer or message has others. */
  @Test
  void idsAreDerivedFromTheMessageThatIsHandled() throws Exception {
    List<List<UUID>> runs = new CopyOnWriteArrayList<>();
    Handler sendsThree =
        (message, tx) -> {
          UUID first = tx.send(toOut("a").build());
          UUID second = tx.send(toOut("b").build());
          UUID named = tx.send(toOut("c").name("receipt").build());
          runs.add(List.of(first, second, named));
        };
    Handler failsAfter =
        (message, tx) -> {
          sendsThree.handle(message, tx);
          throw new IllegalStateException("told to");
        };
    assertThatThrownBy(() -> inbox("payments").process(message("m-1"), failsAfter))
        .isInstanceOf(HandlerFailedException.class);
    inbox("payments").process(message("m-1"), sendsThree);
    inbox("payments").process(message("m-2"), sendsThree);
    inbox("refunds").process(message("m-1"), sendsThree);

    assertThat(runs.get(1)).isEqualTo(runs.get(0));
    assertThat(runs.stream().skip(1).flatMap(List::stream)).hasSize(9).doesNotHaveDuplicates();
    startRelay();
    awaitOutboxEmpty();
    assertThat(arrived().stream().map(Arrived::id))
        .containsExactlyInAnyOrderElementsOf(
            runs.stream().skip(1).flatMap(List::stream).map(UUID::toString).toList());
  }

  @Test
  void aNameThatIsUsedTwiceIsTheHandlersFault() {
    Handler twice =
        (message, tx) -> {
          tx.send(toOut("a").name("receipt").build());
          tx.send(toOut("b").name("receipt").build());
        };
    assertThatThrownBy(() -> inbox("payments").process(message("m-3"), twice))
        .isInstanceOf(HandlerFailedException.class)
        .hasRootCauseInstanceOf(BadOutgoingException.class)
        .hasMessageContaining("receipt");
  }

  @Test
  void aBatchHandlerSaysBecauseOfWhichMessage() throws Exception {
    Semel semel = semel();
    String in = vhost.declareQueue(vhost.unique("in"));
    Handler ofAnother = (message, tx) -> tx.send(message("other"), toOut("a").build());
    assertThatThrownBy(() -> semel.inbox("payments").process(message("m-4"), ofAnother))
        .isInstanceOf(TransactionMisuseException.class)
        .hasMessageContaining("was not given");
    Consumer batches =
        Consumer.named("batches")
            .source(dev.semel.rabbitmq.RabbitMq.queue(vhost.amqpUri(), in))
            .batchHandler(
                (messages, tx) -> messages.forEach(m -> tx.send(m, toOut(m.id()).build())))
            .build();
    vhost.publish(in, "b-1", "x");
    vhost.publish(in, "b-2", "x");
    Worker worker = semel.start(batches);
    awaitPending(2);
    worker.close();
    startRelay();
    awaitOutboxEmpty();
    assertOnceEach(List.of("b-1", "b-2"));
  }

  @Test
  void theTraceGoesOn() throws Exception {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Message traced =
        Message.builder()
            .id("m-5")
            .header("traceparent", trace)
            .header("tracestate", "a=1")
            .build();
    inbox("payments")
        .process(
            traced,
            (message, tx) -> {
              tx.send(toOut("goes on").build());
              tx.send(toOut("has its own").header("traceparent", "mine").build());
            });
    startRelay();
    awaitOutboxEmpty();
    Map<String, Map<String, Object>> headers = new java.util.HashMap<>();
    arrived().forEach(a -> headers.put(a.body(), a.message().getProps().getHeaders()));
    assertThat(headers.get("goes on").get("traceparent")).hasToString(trace);
    assertThat(headers.get("goes on").get("tracestate")).hasToString("a=1");
    assertThat(headers.get("has its own").get("traceparent")).hasToString("mine");
    assertThat(headers.get("has its own")).doesNotContainKey("tracestate");
  }

  @Test
  void addNeedsATransaction() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      assertThatThrownBy(() -> semel().outbox().add(connection, toOut("a").build()))
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("autocommit");
    }
    assertThat(pending()).isZero();
  }

  /** What no broker takes is refused at once, by the name of its field. */
  @Test
  void limitsAreCheckedAtTheInsert() {
    String tooLong = "ü".repeat(128);
    assertThatThrownBy(() -> Outgoing.to(tooLong, "k").build())
        .isInstanceOf(BadOutgoingException.class)
        .hasMessageContaining("exchange has 256 bytes");
    assertThatThrownBy(() -> Outgoing.to("", tooLong).build()).hasMessageContaining("routingKey");
    assertThatThrownBy(() -> toOut("a").type(tooLong).build()).hasMessageContaining("type");
    assertThatThrownBy(() -> toOut("a").header(tooLong, 1).build()).hasMessageContaining("header");
    assertThatThrownBy(() -> toOut("a").type("\0").build()).hasMessageContaining("NUL");
    assertThatThrownBy(() -> toOut("a").destination(" ").build())
        .hasMessageContaining("destination");
    assertThatThrownBy(() -> addAll(List.of(toOut("a").header("h", "x".repeat(70_000)).build())))
        .isInstanceOf(BadOutgoingException.class)
        .hasMessageContaining("headers have");
  }

  /** Ids are drawn under the lock of the ordering key: T2 waits for T1, and not the other way. */
  @Test
  void orderIsThatOfTheCommits() throws Exception {
    try (Connection first = dataSource().getConnection();
        Connection second = dataSource().getConnection()) {
      first.setAutoCommit(false);
      second.setAutoCommit(false);
      semel().outbox().add(first, toOut("one").orderingKey("account-7").build());
      Thread other =
          new Thread(
              () -> {
                semel().outbox().add(second, toOut("two").orderingKey("account-7").build());
                try {
                  second.commit();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      other.start();
      awaitTheSecondWaits();
      // Whoever has no such key does not wait.
      add(toOut("free").orderingKey("account-8"));
      first.commit();
      other.join();
    }
    startRelay();
    awaitOutboxEmpty();
    assertThat(arrivedBodies().stream().filter(b -> !b.equals("free")))
        .containsExactly("one", "two");
  }

  @Test
  void nothingLeavesBeforeItsTimeAndItsKeyWaits() throws Exception {
    add(toOut("later").orderingKey("k").notBefore(Duration.ofSeconds(3)));
    add(toOut("behind").orderingKey("k"));
    add(toOut("other"));
    long began = System.nanoTime();
    startRelay();
    awaitArrived(1);
    assertThat(arrivedBodies()).containsExactly("other");
    awaitOutboxEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(2));
    assertThat(arrivedBodies()).containsExactly("other", "later", "behind");
    assertThat(arrived().get(1).message().getProps().getHeaders()).containsKey("semel-not-before");
  }

  @Test
  void keptForAsLongAsIsSaid() throws Exception {
    UUID id = add(toOut("kept").type("t").orderingKey("k"));
    startRelay(settings().keepSent(Duration.ofHours(1)), step -> {});
    awaitOutboxEmpty();
    assertThat(semel().outbox().sent(id))
        .hasValueSatisfying(
            s -> {
              assertThat(s.destination()).isEqualTo("rabbitmq");
              assertThat(s.type()).isEqualTo("t");
              assertThat(s.orderingKey()).isEqualTo("k");
              assertThat(s.attempts()).isEqualTo(1);
            });
    closeRelays();
    startRelay(settings().keepSent(Duration.ofMillis(1)), step -> {});
    Await.until("forgotten", DEADLINE, () -> semel().outbox().sent(id).isEmpty());
  }

  /** By whomever a message was written; entries are added up, and still say the same. */
  @Test
  void theBooksClose() throws Exception {
    addAll(List.of(toOut("a").build(), toOut("b").build()));
    addAll(List.of(toOut("c").notBefore(Duration.ofHours(1)).build()));
    database.executeAsOwner(
        "INSERT INTO semel.outbox (destination, routing_key, body) VALUES ('later', 'x', ''),"
            + " ('later', 'y', '')",
        "UPDATE semel.outbox SET state = 'parked' WHERE routing_key = 'y'");
    assertThat(database.queryLong("SELECT count(*) FROM semel.promise_entries"))
        .as("entries, one of each statement")
        .isEqualTo(3);
    startRelay();
    awaitPending(3);
    UUID waiting = semel().outbox().list(Selection.any().destination("later")).get(0).id();
    semel().outbox().discard(Selection.of(List.of(waiting)), Order.by("ann", "not wanted"));
    List<Outbox.Books> books =
        List.of(
            new Outbox.Books("later", 2, 0, 1, 0, 1, 0),
            new Outbox.Books("rabbitmq", 3, 2, 0, 1, 0, 0));
    assertThat(semel().outbox().books()).isEqualTo(books);
    closeRelays();
    startRelay(); // which has to add up what the first has left
    Await.until(
        "the entries are added up",
        DEADLINE,
        () -> database.queryLong("SELECT count(*) FROM semel.promise_entries") == 4);
    assertThat(semel().outbox().books()).isEqualTo(books);
    database.executeAsOwner("DELETE FROM semel.outbox WHERE destination = 'rabbitmq'");
    assertThat(semel().outbox().books().get(1).offBy()).as("a row that vanished").isEqualTo(1);
    database.executeAsOwner("DELETE FROM semel.promise_entries", "DELETE FROM semel.outbox");
  }

  /** By hand, in SQL alone. */
  @Test
  void anybodyMayInsert() throws Exception {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement s =
            connection.prepareStatement(
                "INSERT INTO semel.outbox (routing_key, headers, body) VALUES (?, ?::json, ?)")) {
      s.setString(1, out);
      s.setString(
          2,
          "{\"n\": 1, \"x\": 1.5, \"s\": \"\\u00fc\", \"l\": [true, null], \"o\": {\"a\": \"b\"}}");
      s.setBytes(3, "by hand".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      s.executeUpdate();
    }
    startRelay();
    awaitOutboxEmpty();
    assertOnceEach(List.of("by hand"));
    Map<String, Object> headers = arrived().get(0).message().getProps().getHeaders();
    assertThat(headers.get("n")).isEqualTo(1L);
    assertThat(headers.get("x")).isEqualTo(1.5);
    assertThat(headers.get("s")).hasToString("ü");
    assertThat(headers.get("l")).hasToString("[true, null]");
    assertThat(headers.get("o")).hasToString("{a=b}");
  }
}
