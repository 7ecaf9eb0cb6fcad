package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Selection;
import dev.semel.Semel;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verbs on parked messages against a real database, as people and programs see them. */
@WithServices
class ParkedTest {

  private static final String NOBODY = "1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11";
  private static final String CONTROLS = "nul \0 esc \u001b[31m csi \u009b2J bidi \u202e";

  private final TestDatabase database;
  private final Map<String, String> environment;
  private final Semel semel;
  private final Parking parking;
  private final Inbox inbox;

  ParkedTest(TestDatabase database) throws SQLException {
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
    this.parking = semel.parking();
    this.inbox = semel.inbox("payments");
  }

  @BeforeEach
  void empty() throws SQLException {
    database.executeAsOwner(
        "TRUNCATE semel.parked_messages, semel.book_entries, semel.audit,"
            + " semel.processed_messages_0, semel.processed_messages_1, semel.processed_messages_2");
  }

  @Test
  void list_is_a_table_for_people() throws SQLException {
    assertThat(run("list").out()).isEqualTo("no parked message" + System.lineSeparator());
    ParkedMessage noId = park(null, "x");
    ParkedMessage conflict = conflict("order-17");
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET state = 'waiting', attempts = 12,"
            + " first_seen = '2026-01-05 10:11:12.9+00', next_attempt_at = '2026-01-05 11:00:00+00',"
            + " reason = 'handler failed' WHERE id = '"
            + conflict.id()
            + "'");

    Cli list = run("list");

    assertThat(list.status()).isZero();
    assertThat(list.err()).isEmpty();
    List<String> lines = list.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .matches(
            "ID {36}CONSUMER  KEY       STATE    REASON +ATTEMPTS  DEATHS  FIRST SEEN \\(UTC\\) +NEXT"
                + " ATTEMPT \\(UTC\\)");
    assertThat(lines.get(1)).matches(noId.id() + "  payments  -         dead     no id: .* 0 .* -");
    assertThat(lines.get(2))
        .matches(
            conflict.id()
                + "  payments  order-17  waiting  handler failed +12       0  2026-01-05 10:11:12"
                + "  2026-01-05 11:00:00");
    assertThat(lines.get(2).indexOf("2026")).isEqualTo(lines.get(0).indexOf("FIRST"));
  }

  @Test
  void list_filters_and_says_if_there_are_more() throws SQLException {
    for (int i = 0; i < 5; i++) {
      conflict("k-" + i);
    }
    park(null, "x");
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET first_seen = first_seen - interval '3 days'"
            + " WHERE message_id IN ('k-1', 'k-3')");

    assertThat(keys(run("list", "--json"))).hasSize(6).endsWith((String) null);
    assertThat(keys(run("list", "--older-than", "2d", "--json"))).containsExactly("k-1", "k-3");
    assertThat(keys(run("list", "--older-than", "96h", "--json"))).isEmpty();
    assertThat(keys(run("list", "--with-reason", "no id", "--json"))).hasSize(1);
    assertThat(keys(run("list", "--state", "dead", "--consumer", "payments", "--json"))).hasSize(6);
    assertThat(run("list", "--state", "waiting").out()).contains("no parked message matches");
    assertThat(run("list", "--consumer", "nobody", "--json").out().strip()).isEqualTo("[]");
    assertThat(run("list", "--limit", "6").err()).isEmpty();
    Cli two = run("list", "--limit", "2", "--json");
    assertThat(keys(two)).containsExactly("k-0", "k-1");
    assertThat(two.err()).contains("only the oldest 2", "--limit");
    assertThat(run("list", "--limit", "2").out().lines()).hasSize(3);
  }

  @Test
  void show_tells_all_facts_and_hides_no_control_characters() throws SQLException {
    Map<String, Object> nested = new LinkedHashMap<>();
    nested.put("a", 1L);
    nested.put("b", Arrays.asList("x", null));
    ParkedMessage row =
        park(
            Message.builder()
                .timestamp(Instant.parse("2026-01-05T10:11:12Z"))
                .type("order " + CONTROLS)
                .property("routing-key", "orders")
                .header("text", CONTROLS + "\"\\")
                .header("long", Long.MAX_VALUE)
                .header("decimal", new BigDecimal("1.50"))
                .header("bytes", new byte[] {0, -1})
                .header("nested", nested)
                .header("none", null)
                .body(new byte[] {1, 2, 3})
                .build());
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET error_class = 'java.sql.SQLException',"
            + " error_message = E'bad\\nthing', error_sqlstate = '23505', attempts = 3, deaths = 1,"
            + " copies = 2");

    Cli show = run("show", row.id().toString());

    assertThat(show.status()).isZero();
    String visible = "nul \\u0000 esc \\u001b[31m csi \\u009b2J bidi \\u202e";
    assertThat(show.out().lines().map(l -> l.replaceAll(" {2,}", "  ")))
        .contains(
            "id  " + row.id(),
            "consumer  payments",
            "key  -",
            "state  dead",
            "reason  no id: message-id is missing",
            "attempts  3",
            "deaths  1",
            "copies  2",
            "generation  0",
            "next attempt  -",
            "error class  java.sql.SQLException",
            "error message  bad\\u000athing",
            "SQLSTATE  23505",
            "size  3 bytes",
            "properties",
            "  type  order " + visible,
            "  timestamp  2026-01-05T10:11:12Z",
            "  routing-key  orders",
            "headers",
            "  text  string  \"" + visible + "\\\"\\\\\"",
            "  long  long  9223372036854775807",
            "  decimal  decimal  1.50",
            "  bytes  bytes  base64 AP8=",
            "  nested  table  {\"a\": long 1, \"b\": list [string \"x\", null]}",
            "  none  null");
    assertThat(show.out()).contains("first seen", "last seen").doesNotContain("\u001b", "\u202e");
    assertThat(show.out().chars().filter(c -> c != '\n').allMatch(c -> c >= ' ')).isTrue();

    JsonNode json = json(run("show", row.id().toString(), "--json"));
    assertThat(json.get("errorSqlState").asText()).isEqualTo("23505");
    assertThat(json.get("key").isNull()).isTrue();
    assertThat(json.get("nextAttempt").isNull()).isTrue();
    assertThat(json.get("properties").get("type").asText()).isEqualTo("order " + CONTROLS);
    JsonNode headers = json.get("headers");
    assertThat(headers.get("text").get("value").asText()).isEqualTo(CONTROLS + "\"\\");
    assertThat(headers.get("long").get("value").asLong()).isEqualTo(Long.MAX_VALUE);
    assertThat(headers.get("decimal").toString())
        .isEqualTo("{\"type\":\"decimal\",\"value\":\"1.50\"}");
    assertThat(headers.get("nested").get("value").get("b").get("value").get(1).get("type").asText())
        .isEqualTo("null");
    assertThat(run("show", row.id().toString(), "--json").out().chars().allMatch(c -> c < 127))
        .isTrue();
  }

  @Test
  void show_body_writes_the_bytes_and_nothing_else() {
    byte[] body = new byte[256];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) i;
    }
    ParkedMessage row = park(Message.builder().body(body).build());

    Cli show = run("show", row.id().toString(), "--body");

    assertThat(show.bytes()).isEqualTo(body);
    assertThat(show.err()).isEmpty();
    assertThat(show.status()).isZero();
  }

  @Test
  void a_row_that_is_not_there_is_told_with_status_1() {
    Cli show = run("show", NOBODY);
    assertThat(show.status()).isEqualTo(ExitStatus.BAD);
    assertThat(show.out()).isEmpty();
    assertThat(show.err().strip()).isEqualTo("semel: no such parked message: " + NOBODY);
    Cli body = run("show", NOBODY, "--body");
    assertThat(body.status()).isEqualTo(ExitStatus.BAD);
    assertThat(body.bytes()).isEmpty();
    for (String verb : List.of("replay", "discard")) {
      Cli change = run(verb, NOBODY, "--reason", "x");
      assertThat(change.status()).isEqualTo(ExitStatus.BAD);
      assertThat(change.out()).contains(NOBODY + "  -  no such parked message", "0 of 1");
    }
  }

  @Test
  void replay_says_of_each_row_what_became_of_it() throws SQLException {
    ParkedMessage conflict = conflict("k");
    ParkedMessage noId = park(null, "x");
    String[] both = {conflict.id().toString(), noId.id().toString(), "--reason", "ticket 17"};

    Cli plain = run("replay", both);
    Cli again = run("replay", args(both, "--again", "--who", "ann"));

    assertThat(plain.status()).isEqualTo(ExitStatus.BAD);
    assertThat(plain.out().lines())
        .containsExactly(
            conflict.id() + "  k  already applied; to run it again is a new generation (--again)",
            noId.id() + "  -  has no id; give it one (--id)",
            "replayed 0 of 2");
    assertThat(again.status()).isEqualTo(ExitStatus.BAD);
    assertThat(again.out()).contains("k  runs as soon as a worker has time", "replayed 1 of 2");
    assertThat(run("list", "--state", "waiting").out()).contains("  k (generation 1)  waiting  ");
    assertThat(waiting()).isEqualTo(1);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE who = 'ann' AND reason = 'ticket 17'"
                    + " AND verb = 'parked replay' AND target = '"
                    + conflict.id()
                    + "'"))
        .isEqualTo(1);

    Cli given = run("replay", noId.id().toString(), "--id", "new", "--reason", "x", "--json");
    assertThat(given.status()).isZero();
    JsonNode done = json(given);
    assertThat(done).hasSize(1);
    assertThat(done.get(0).toString())
        .isEqualTo(
            "{\"id\":\""
                + noId.id()
                + "\",\"consumer\":\"payments\",\"key\":null,\"result\":\"REPLAYED\",\"done\":true,"
                + "\"dryRun\":false,\"text\":\"runs as soon as a worker has time\"}");
    assertThat(waiting()).isEqualTo(2);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE who = '"
                    + System.getProperty("user.name")
                    + "'"))
        .isEqualTo(1);
  }

  @Test
  void id_is_for_one_row_that_has_none() {
    ParkedMessage conflict = conflict("k");

    assertThat(run("replay", conflict.id().toString(), "--id", "x", "--reason", "x").complaint())
        .contains("has the id 'k' already", "--id");
    assertThat(run("replay", "--all", "--id", "x", "--reason", "x").complaint())
        .contains("--id is for one message");
    assertThat(run("replay", NOBODY, "--id", " ", "--reason", "x").complaint())
        .contains("--id is blank");
    assertThat(parking.list(Selection.any())).containsExactly(conflict);
  }

  @Test
  void discard_takes_filters_limits_and_dry_runs() throws SQLException {
    for (int i = 0; i < 5; i++) {
      conflict("k-" + i);
    }
    park(null, "x");
    String[] filter = {"--with-reason", "conflict", "--reason", "cleaning"};

    Cli dry = run("discard", args(filter, "--dry-run"));
    assertThat(dry.status()).isZero();
    assertThat(dry.out())
        .contains("k-4  discarded", "dry run, nothing was changed: would be discarded 5 of 5");
    assertThat(parking.list(Selection.any())).hasSize(6);

    Cli limited = run("discard", args(filter, "--limit", "2"));
    assertThat(limited.status()).isZero();
    assertThat(limited.out()).contains("k-0", "k-1", "discarded 2 of 2").doesNotContain("k-2");
    assertThat(limited.err()).contains("more than 2 parked messages match", "--all");
    assertThat(parking.list(Selection.any())).hasSize(4);

    // An id beside a filter must match it.
    UUID id = parking.list(Selection.any()).get(3).id();
    Cli other = run("discard", args(filter, id.toString()));
    assertThat(other.status()).isEqualTo(ExitStatus.BAD);
    assertThat(other.out()).contains("no such parked message, or not one that matches");
    assertThat(parking.list(Selection.any())).hasSize(4);

    Cli rest = run("discard", args(filter, "--all", "--yes", "--json"));
    assertThat(rest.status()).isZero();
    assertThat(json(rest)).hasSize(3);
    assertThat(parking.list(Selection.any())).hasSize(1);
    assertThat(run("discard", filter).out()).isEqualTo("discarded 0 of 0" + System.lineSeparator());
    assertThat(json(run("discard", args(filter, "--json")))).isEmpty();
    assertThat(run("books").status()).isZero();
  }

  @Test
  void all_is_confirmed_by_a_person_or_by_yes() {
    for (int i = 0; i < 3; i++) {
      park(null, "x");
    }
    String[] all = {"--all", "--reason", "x"};
    List<String> asked = new ArrayList<>();

    assertThat(run("discard", all).complaint())
        .contains("no terminal", "discard 3 parked messages", "--yes");
    for (String answer : Arrays.asList("", "n", "nay", "yess", null)) {
      Cli refused = asking(asked, answer, args(all, "discard"));
      assertThat(refused.status()).isEqualTo(ExitStatus.BAD);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).contains("nothing was done");
    }
    assertThat(parking.list(Selection.any())).hasSize(3);
    assertThat(asked).hasSize(5).containsOnly("discard 3 parked messages? [y/N] ");

    assertThat(asking(asked, "n", args(all, "discard", "--dry-run")).status()).isZero();
    assertThat(parking.list(Selection.any())).hasSize(3);
    assertThat(asked).as("a dry run does no harm").hasSize(5);
    assertThat(asking(asked, " Y ", args(all, "discard")).out()).contains("discarded 3 of 3");
    assertThat(parking.list(Selection.any())).isEmpty();
    // Nothing to ask about.
    assertThat(run("discard", all).status()).isZero();
  }

  /** Some hundreds in several steps, with one answer. */
  @Test
  void many_rows_are_told_in_one_value() {
    for (int i = 0; i < 250; i++) {
      park(null, "x");
    }
    Cli cli = run("discard", "--state", "dead", "--all", "--yes", "--reason", "x", "--json");

    assertThat(json(cli)).hasSize(250).allMatch(n -> n.get("done").asBoolean());
    assertThat(parking.books().get(0).discarded()).isEqualTo(250);
    assertThat(parking.books().get(0).offBy()).isZero();
  }

  /** What was done before a failure is done, and told. */
  @Test
  void a_failure_in_between_does_not_hide_what_was_done() throws SQLException {
    for (int i = 0; i < 150; i++) {
      park(null, "x");
    }
    database.executeAsOwner(
        "CREATE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN IF (SELECT count(*) FROM semel.audit) >= 120 THEN"
            + " RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON semel.audit FOR EACH ROW"
            + " EXECUTE FUNCTION public.full_disk()");
    Cli cli;
    try {
      cli = run("discard", "--all", "--yes", "--reason", "x", "--json");
    } finally {
      database.executeAsOwner(
          "DROP TRIGGER full_disk ON semel.audit", "DROP FUNCTION public.full_disk");
    }
    assertThat(cli.status()).isEqualTo(ExitStatus.NOT_ASKED);
    assertThat(json(cli)).hasSize(100);
    assertThat(cli.err().lines())
        .hasSize(2)
        .allMatch(l -> l.startsWith("semel: "))
        .anyMatch(l -> l.contains("disk full"))
        .anyMatch(l -> l.contains("the audit knows"));
    assertThat(parking.list(Selection.any())).hasSize(30);
    assertThat(database.queryLong("SELECT count(*) FROM semel.audit")).isEqualTo(120);
    assertThat(parking.books().get(0).discarded()).isEqualTo(120);
    assertThat(parking.books().get(0).offBy()).isZero();
  }

  @Test
  void books_close_or_the_status_says_so() throws SQLException {
    assertThat(run("books").out()).contains("no message was ever parked");
    conflict("k");
    park(null, "x");
    run("discard", "--with-reason", "no id", "--reason", "x");

    Cli books = run("books");
    assertThat(books.status()).isZero();
    assertThat(books.out().lines().map(l -> l.replaceAll(" +", " ")))
        .containsExactly(
            "CONSUMER PARKED APPLIED DUPLICATES DISCARDED WAITING DEAD OFF BY",
            "payments 2 0 0 1 0 1 0");
    database.executeAsOwner("DELETE FROM semel.parked_messages");
    Cli off = run("books", "--json");
    assertThat(off.status()).isEqualTo(ExitStatus.BAD);
    assertThat(json(off).toString())
        .isEqualTo(
            "[{\"consumer\":\"payments\",\"parked\":2,\"applied\":0,\"duplicates\":0,"
                + "\"discarded\":1,\"waiting\":0,\"dead\":0,\"offBy\":1}]");
  }

  @Test
  void what_stands_in_a_key_cannot_speak_to_the_terminal() {
    conflict("evil\u001b]0;owned\u0007\nforged line");

    for (Cli cli :
        List.of(run("list"), run("replay", "--state", "dead", "--dry-run", "--reason", "x"))) {
      assertThat(cli.out()).contains("evil\\u001b]0;owned\\u0007\\u000aforged line");
      assertThat(cli.out()).doesNotContain("\u001b", "\u0007").doesNotContain("\nforged");
    }
  }

  @Test
  void a_schema_that_lacks_a_script_is_told_with_the_remedy() throws SQLException {
    assertThat(run("list", "--schema", "nowhere").complaint())
        .contains("nowhere.parked_messages", "run: semel schema apply --schema nowhere");
    Semel.builder(database.ownerDataSource()).schema("old").build().schema().apply();
    database.executeAsOwner(
        "DROP VIEW old.books",
        "DROP TABLE old.book_entries, old.started",
        "ALTER TABLE old.parked_messages DROP COLUMN seq, DROP COLUMN generation,"
            + " DROP COLUMN alone, DROP COLUMN lease_worker",
        "DELETE FROM old.schema_version WHERE version = 2",
        "GRANT USAGE ON SCHEMA old TO " + database.runtimeName(),
        "GRANT ALL ON ALL TABLES IN SCHEMA old TO " + database.runtimeName());
    for (List<String> verb :
        List.of(
            List.of("list"),
            List.of("show", NOBODY),
            List.of("replay", NOBODY, "--reason", "x"),
            List.of("discard", NOBODY, "--reason", "x"),
            List.of("books"))) {
      String[] old = {"--schema", "old"};
      assertThat(parked(args(old, verb.toArray(String[]::new))).complaint())
          .as(verb.toString())
          .contains("does not exist", "run: semel schema apply --schema old")
          .doesNotContain("Position");
    }
  }

  @Test
  void missing_rights_are_told() throws SQLException {
    database.executeAsOwner(
        "REVOKE SELECT ON semel.parked_messages FROM " + database.runtimeName());
    try {
      assertThat(run("list").complaint()).contains("rights", "parked_messages");
    } finally {
      database.executeAsOwner("GRANT SELECT ON semel.parked_messages TO " + database.runtimeName());
    }
  }

  @Test
  void headers_that_were_edited_by_hand_are_told() throws SQLException {
    ParkedMessage row = park(null, "x");
    database.executeAsOwner("UPDATE semel.parked_messages SET headers = '{\"a\": 1}'");

    assertThat(run("show", row.id().toString()).complaint())
        .contains("headers or properties", row.id().toString(), "by hand");
    assertThat(run("discard", row.id().toString(), "--reason", "x").status()).isZero();
  }

  private ParkedMessage park(String id, String body) {
    return park(Message.builder().id(id).body(body).build());
  }

  private ParkedMessage park(Message message) {
    assertThat(inbox.process(message, (m, tx) -> {})).isInstanceOf(Outcome.Parked.class);
    return newest();
  }

  private ParkedMessage conflict(String id) {
    inbox.process(Message.builder().id(id).body("first").build(), (m, tx) -> {});
    assertThat(inbox.process(Message.builder().id(id).body("second").build(), (m, tx) -> {}))
        .isEqualTo(new Outcome.Conflict());
    return newest();
  }

  private ParkedMessage newest() {
    List<ParkedMessage> rows = parking.list(Selection.any().limit(Integer.MAX_VALUE));
    return rows.get(rows.size() - 1);
  }

  private long waiting() throws SQLException {
    return database.queryLong("SELECT count(*) FROM semel.parked_messages WHERE state = 'waiting'");
  }

  private Cli run(String verb, String... args) {
    return parked(args(args, verb));
  }

  private Cli parked(String... args) {
    return Cli.run(environment, args(args, "parked"));
  }

  private Cli asking(List<String> asked, String answer, String... args) {
    return Cli.run(
        environment,
        question -> {
          asked.add(question);
          return answer;
        },
        args(args, "parked"));
  }

  private static String[] args(String[] last, String... first) {
    List<String> all = new ArrayList<>(List.of(first));
    all.addAll(List.of(last));
    return all.toArray(String[]::new);
  }

  private static List<String> keys(Cli cli) {
    List<String> keys = new ArrayList<>();
    json(cli).forEach(n -> keys.add(n.get("key").isNull() ? null : n.get("key").asText()));
    return keys;
  }

  /** Exactly one value, and nothing behind it. */
  private static JsonNode json(Cli cli) {
    try {
      return new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .readTree(cli.bytes());
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + cli.out(), e);
    }
  }
}
