package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.semel.Outgoing;
import dev.semel.Semel;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verbs on the outbox against a real database, as people and programs see them. */
@WithServices
class OutboxCommandTest {

  private static final String NOBODY = "1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11";

  private final TestDatabase database;
  private final Map<String, String> environment;
  private final Semel semel;

  OutboxCommandTest(TestDatabase database) throws SQLException {
    this.database = database;
    this.environment =
        Map.of(
            "SEMEL_JDBC_URL", database.jdbcUrl(),
            "SEMEL_JDBC_USER", database.runtimeName(),
            "SEMEL_JDBC_PASSWORD", database.runtimePassword());
    var schema = Semel.builder(database.ownerDataSource()).build().schema();
    schema.apply();
    database.executeAsOwner(schema.grants(database.runtimeName()));
    this.semel = Semel.builder(database.runtimeDataSource()).build();
  }

  @BeforeEach
  void empty() throws SQLException {
    database.executeAsOwner(
        "TRUNCATE semel.outbox, semel.promise_entries, semel.outbox_sent, semel.audit,"
            + " semel.paused_destinations");
  }

  private Cli run(String... args) {
    List<String> all = new ArrayList<>(List.of("outbox"));
    all.addAll(Arrays.asList(args));
    return Cli.run(environment, all.toArray(String[]::new));
  }

  private UUID add(String body) throws SQLException {
    try (Connection connection = database.runtimeDataSource().getConnection()) {
      connection.setAutoCommit(false);
      UUID id =
          semel
              .outbox()
              .add(connection, Outgoing.to("shop", "paid").type("payment").body(body).build());
      connection.commit();
      return id;
    }
  }

  @Test
  void list_show_and_body() throws SQLException, IOException {
    assertThat(run("list").out()).contains("the outbox is empty");
    UUID id = add("the body");
    database.executeAsOwner("UPDATE semel.outbox SET attempts = 3, last_error = 'unroutable: 312'");
    assertThat(run("list").out()).contains(id.toString(), "shop/paid", "unroutable: 312");
    JsonNode json = new ObjectMapper().readTree(run("list", "--json").out());
    assertThat(json.get(0).get("id").asText()).isEqualTo(id.toString());
    assertThat(json.get(0).get("attempts").asInt()).isEqualTo(3);
    assertThat(run("show", id.toString()).out())
        .contains("payment", "8 bytes")
        .doesNotContain("the body");
    assertThat(run("show", id.toString(), "--body").out()).isEqualTo("the body");
    Cli none = run("show", NOBODY);
    assertThat(none.status()).isEqualTo(1);
    assertThat(none.err()).contains("no such message");
    assertThat(run("list", "--state", "dead").status()).isEqualTo(2);
  }

  @Test
  void what_has_left_is_shown_as_long_as_it_is_kept() throws SQLException {
    database.executeAsOwner(
        "INSERT INTO semel.outbox_sent (id, message_id, destination, attempts) VALUES (1, '"
            + NOBODY
            + "', 'rabbitmq', 2)");
    assertThat(run("show", NOBODY).out()).contains("sent", "rabbitmq");
  }

  @Test
  void retry_and_discard_are_audited() throws SQLException {
    UUID first = add("one");
    UUID second = add("two");
    database.executeAsOwner("UPDATE semel.outbox SET state = 'parked', last_error = 'too large'");
    assertThat(run("retry", first.toString(), "--reason", "smaller now", "--dry-run").out())
        .contains("dry run");
    assertThat(database.queryLong("SELECT count(*) FROM semel.outbox WHERE state = 'parked'"))
        .isEqualTo(2);
    assertThat(run("retry", first.toString(), "--reason", "smaller now").status()).isZero();
    assertThat(database.queryLong("SELECT count(*) FROM semel.outbox WHERE state = 'pending'"))
        .isEqualTo(1);
    assertThat(run("discard", "--state", "parked", "--reason", "told by mail").out())
        .contains(second.toString(), "discarded 1 of 1");
    assertThat(database.queryLong("SELECT count(*) FROM semel.outbox")).isEqualTo(1);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE verb IN ('outbox retry', 'outbox discard')"
                    + " AND detail LIKE '%sha256%'"))
        .isEqualTo(2);
    assertThat(run("discard", NOBODY, "--reason", "why").status()).isEqualTo(1);
  }

  @Test
  void books_close_or_say_so() throws SQLException, IOException {
    assertThat(run("books").out()).contains("no message was ever in the outbox");
    UUID id = add("one");
    add("two");
    assertThat(run("discard", id.toString(), "--reason", "why").status()).isZero();
    Cli books = run("books", "--json");
    assertThat(books.status()).isZero();
    assertThat(new ObjectMapper().readTree(books.out()).get(0).toString())
        .isEqualTo(
            "{\"destination\":\"rabbitmq\",\"written\":2,\"confirmed\":0,\"discarded\":1,"
                + "\"pending\":1,\"parked\":0,\"offBy\":0}");
    database.executeAsOwner("DELETE FROM semel.outbox");
    Cli off = run("books");
    assertThat(off.status()).isEqualTo(1);
    assertThat(off.out()).contains("OFF BY", "rabbitmq");
  }

  @Test
  void a_destination_is_paused_and_resumed() throws SQLException {
    add("one");
    assertThat(run("pause", "rabbitmq", "--reason", "moving").out()).contains("is paused");
    assertThat(run("pause", "rabbitmq", "--reason", "moving").out()).contains("was already paused");
    assertThat(run("list").out()).contains("pending, paused");
    assertThat(run("resume", "rabbitmq", "--reason", "moved").out()).contains("is at work");
    assertThat(database.queryLong("SELECT count(*) FROM semel.audit")).isEqualTo(2);
  }

  @Test
  void a_relay_needs_a_database_and_a_broker() {
    assertThat(Cli.run("relay").complaint()).contains("no database given");
    assertThat(Cli.run(environment, "relay").complaint()).contains("no broker given", "--amqp");
    assertThat(Cli.run(environment, "relay", "--amqp", "amqp://a:b@127.0.0.1:1/x").complaint())
        .contains("cannot reach a broker");
  }
}
