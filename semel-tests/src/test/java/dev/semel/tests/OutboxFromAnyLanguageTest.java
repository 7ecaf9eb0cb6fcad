package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Knows nothing but docs/outbox-from-any-language.md: runs its SQL over plain JDBC, as a role that
 * has the rights of that page and no others.
 */
class OutboxFromAnyLanguageTest extends OutboxScene {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sql\n(.*?)^```$");
  private static final String PASSWORD = "for-a-test";

  private final List<String> page;
  private final String role;

  OutboxFromAnyLanguageTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws IOException, SQLException {
    super(database, vhost, broker);
    String text = Files.readString(Path.of("../docs/outbox-from-any-language.md"));
    role = database.runtimeName() + "_web";
    page = BLOCK.matcher(text).results().map(m -> m.group(1).replace("shop_web", role)).toList();
    assertThat(page).as("blocks of SQL: rights, one message, order, notify, looking").hasSize(5);
  }

  @BeforeEach
  void aShop() throws IOException, SQLException {
    onChannel(
        channel -> {
          channel.exchangeDeclare("orders", "topic", true);
          channel.queueBind(out, "orders", "order.*");
        });
    asSuper(
        "CREATE TABLE public.orders (id int PRIMARY KEY, state text NOT NULL)",
        "INSERT INTO public.orders VALUES (4711, 'open')",
        "CREATE ROLE " + role + " LOGIN PASSWORD '" + PASSWORD + "'",
        "GRANT CONNECT ON DATABASE " + database.name() + " TO " + role,
        "GRANT SELECT, UPDATE ON public.orders TO " + role);
    database.executeAsOwner(page.get(0));
  }

  @AfterEach
  void noShop() throws IOException, SQLException {
    asSuper("DROP TABLE public.orders", "DROP OWNED BY " + role, "DROP ROLE " + role);
    onChannel(channel -> channel.exchangeDelete("orders"));
  }

  private void asSuper(String... statements) throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      for (String each : statements) {
        s.execute(each);
      }
    }
  }

  private Connection shop() throws SQLException {
    return DriverManager.getConnection(database.jdbcUrl(), role, PASSWORD);
  }

  /** Of the one message that arrived with this routing key. */
  private BasicProperties properties(String routingKey) throws IOException {
    List<Arrived> found =
        arrived().stream()
            .filter(a -> a.message().getEnvelope().getRoutingKey().equals(routingKey))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0).message().getProps();
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement s = connection.createStatement()) {
      s.execute(sql);
    }
  }

  @Test
  void whatThePageSaysWorks() throws Exception {
    try (Connection shop = shop()) {
      run(shop, page.get(1));
      run(shop, page.get(2));
      run(shop, page.get(1).replace("COMMIT", "ROLLBACK"));
      startRelay();
      run(shop, page.get(3));
    }
    awaitOutboxEmpty();
    assertOnceEach(List.of("{\"order\" : 4711}", "packed"));
    assertThat(text("SELECT state FROM public.orders")).isEqualTo("paid");
    BasicProperties paid = properties("order.paid"); // two keys: either may have come first
    assertThat(paid.getType()).isEqualTo("OrderPaid");
    assertThat(paid.getContentType()).isEqualTo("application/json");
    assertThat(paid.getDeliveryMode()).isEqualTo(2);
    assertThat(paid.getHeaders().get("tenant")).hasToString("eu-1");
    assertThat(paid.getHeaders().get("version")).isEqualTo(2L);
    assertThat(paid.getMessageId()).matches("[0-9a-f-]{36}");
    try (Connection owner = database.ownerDataSource().getConnection();
        Statement s = owner.createStatement()) {
      boolean rows = s.execute(page.get(4));
      assertThat(rows).isTrue();
      assertThat(s.getMoreResults()).as("the books come second").isTrue();
      try (ResultSet books = s.getResultSet()) {
        assertThat(books.next()).isTrue();
        assertThat(books.getLong("written")).isEqualTo(2);
        assertThat(books.getLong("confirmed")).isEqualTo(2);
        assertThat(books.getLong("off_by")).isZero();
      }
    }
  }

  @Test
  void theLockMakesItTheOrderOfCommits() throws Exception {
    Matcher parts = Pattern.compile("(?s)(BEGIN;.*?)COMMIT;\n").matcher(page.get(2));
    assertThat(parts.matches()).isTrue();
    String begun = parts.group(1);
    startRelay();
    try (Connection first = shop();
        Connection second = shop()) {
      run(first, begun.replace("'packed'", "'first'"));
      CompletableFuture<Void> later =
          CompletableFuture.runAsync(
              () -> {
                try {
                  run(second, begun.replace("'packed'", "'second'") + "COMMIT;");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitTheSecondWaits();
      assertThat(later).isNotDone();
      run(first, "COMMIT");
      later.join();
    }
    awaitOutboxEmpty();
    assertThat(arrivedBodies()).containsExactly("first", "second");
  }
}
