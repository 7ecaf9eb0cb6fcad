package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.Consumer;
import dev.semel.HandlerFailedException;
import dev.semel.Identity;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Schema;
import dev.semel.Semel;
import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Taking over the keys of a hand-written table. Right: an imported key is a duplicate whatever its
 * bytes, one that was not imported is new, and nothing is counted or stored twice.
 */
@WithServices
class ImportKeysTest {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String CONSUMER = "payments";

  private final TestDatabase database;
  private final Ledger ledger;
  private final Schema schema;
  private final Inbox inbox;

  ImportKeysTest(TestDatabase database) throws SQLException {
    this.database = database;
    this.ledger = Ledger.in(database);
    this.schema = Semel.builder(database.ownerDataSource()).build().schema();
    this.inbox = Semel.builder(database.runtimeDataSource()).build().inbox(CONSUMER);
  }

  @BeforeEach
  void begin() throws SQLException {
    database.executeAsOwner(
        "TRUNCATE public.effects, semel.processed_messages_0, semel.processed_messages_1,"
            + " semel.processed_messages_2, semel.parked_messages, semel.audit",
        "UPDATE semel.slots SET turn = 0, dropped_before = '-infinity'",
        "DROP TABLE IF EXISTS public.processed_messages",
        "CREATE TABLE public.processed_messages (message_id text, processed_at timestamptz)");
  }

  @Test
  void anImportedKeyIsADuplicateAndAnotherIsNew() throws SQLException {
    database.executeAsOwner(
        "INSERT INTO public.processed_messages VALUES"
            + " ('a', '2024-02-29 12:00:00+00'), ('b', NULL), (NULL, now()), ('', now()),"
            + " ('   ', now()), ('a', '2024-03-01 12:00:00+00'), (repeat('x', 300), now())");
    assertThat(schema.importKeys(from("processed_at"), "somebody")).isEqualTo(3);
    assertThat(schema.importKeys(from("processed_at"), "somebody")).as("repeated").isZero();
    assertThat(ledger.keys()).isEqualTo(3);

    for (String body : new String[] {"{}", "{\"other\":1}"}) {
      Message a = Message.builder().id("a").type(body).body(body).build();
      assertThat(inbox.process(a, Ledger::apply)).isEqualTo(new Outcome.Duplicate());
    }
    assertThat(process("b")).isEqualTo(new Outcome.Duplicate());
    assertThat(process("x".repeat(300))).isEqualTo(new Outcome.Duplicate());
    assertThat(process("c")).isEqualTo(new Outcome.Applied());
    assertThat(process("x".repeat(301))).isEqualTo(new Outcome.Applied());
    Inbox other = Semel.builder(database.runtimeDataSource()).build().inbox("other");
    assertThat(other.process(Message.builder().id("a").build(), Ledger::apply))
        .as("the keys are one consumer's")
        .isEqualTo(new Outcome.Applied());
    assertThat(ledger.parked()).isZero();

    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.processed_messages WHERE consumer = 'payments' AND message_id = 'a'"
                    + " AND processed_at = '2024-03-01 12:00:00+00'"))
        .as("the latest time is kept")
        .isEqualTo(1);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.processed_messages WHERE message_id = 'b'"
                    + " AND processed_at > now() - interval '5 min'"))
        .isEqualTo(1);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE who = 'somebody' AND verb = 'schema import'"
                    + " AND target = 'public.processed_messages'"))
        .isEqualTo(2);
    assertThat(database.queryLong("SELECT count(*) FROM public.processed_messages")).isEqualTo(7);
  }

  @Test
  void withoutATimeAndOfAnyType() throws SQLException {
    database.executeAsOwner(
        "DROP TABLE IF EXISTS public.seen",
        "CREATE TABLE public.seen (\"Key\" bigint)",
        "INSERT INTO public.seen SELECT generate_series(1, 1200)");
    Schema.Import seen = new Schema.Import("public.seen", "Key", CONSUMER, null);
    assertThat(schema.importKeys(seen, "somebody")).as("more than two batches").isEqualTo(1200);
    assertThat(process("1")).isEqualTo(new Outcome.Duplicate());
    assertThat(process("1200")).isEqualTo(new Outcome.Duplicate());
    assertThat(process("1201")).isEqualTo(new Outcome.Applied());
    database.executeAsOwner("INSERT INTO public.seen VALUES (0), (1201), (1202)");
    assertThat(schema.importKeys(seen, "somebody")).as("only what is new").isEqualTo(2);
    assertThat(ledger.keys()).isEqualTo(1203);
  }

  @Test
  void keysOfThePreviousSlotAreNotStoredAgain() throws SQLException {
    database.executeAsOwner("INSERT INTO public.processed_messages VALUES ('a', now())");
    process("a");
    database.executeAsOwner("UPDATE semel.slots SET turn = 1");
    assertThat(schema.importKeys(from(null), "somebody")).isZero();
    assertThat(ledger.keys()).isEqualTo(1);
    assertThat(process("a")).isEqualTo(new Outcome.Duplicate());
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThatThrownBy(
            () ->
                schema.importKeys(
                    new Schema.Import("public.nothing", "message_id", CONSUMER, null), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("cannot import")
        .hasMessageContaining("\"public.nothing\" does not exist");
    assertThatThrownBy(
            () ->
                schema.importKeys(
                    new Schema.Import("public.processed_messages", "nothing", CONSUMER, null), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nothing does not exist");
    assertThatThrownBy(() -> schema.importKeys(from("no_time"), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("no_time does not exist");
    assertThatThrownBy(
            () ->
                schema.importKeys(
                    new Schema.Import("public.x; DROP TABLE y", "id", CONSUMER, null), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--from")
        .hasMessageContaining("not a plain name");
    assertThatThrownBy(
            () ->
                schema.importKeys(
                    new Schema.Import("public.processed_messages", "message_id", " ", null), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("name");
  }

  @Test
  void aColumnThatIsNoTimeIsNamed() throws SQLException {
    database.executeAsOwner("INSERT INTO public.processed_messages VALUES ('a', now())");
    assertThatThrownBy(() -> schema.importKeys(from("message_id"), "x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("cannot import")
        .hasMessageNotContaining("schema apply");
  }

  @Test
  void aTimeWithoutEndIsNoTime() throws SQLException {
    database.executeAsOwner(
        "INSERT INTO public.processed_messages VALUES ('a', 'infinity'), ('b', '-infinity')");
    assertThat(schema.importKeys(from("processed_at"), "x")).isEqualTo(2);
    assertThat(process("a")).isEqualTo(new Outcome.Duplicate());
    assertThat(process("b")).isEqualTo(new Outcome.Duplicate());
  }

  /** The import waits for the transaction that is at work on a key, and then leaves it alone. */
  @Test
  void aClaimInFlightIsWaitedFor() throws Exception {
    database.executeAsOwner(
        "INSERT INTO public.processed_messages VALUES ('busy', now()), ('idle', now())");
    CompletableFuture<Long> imported = new CompletableFuture<>();
    Outcome outcome =
        inbox.process(
            Message.builder().id("busy").body("{}").build(),
            (m, tx) -> {
              Ledger.apply(m, tx);
              importBeside(imported);
              assertThat(imported).isNotDone();
            });
    assertThat(outcome).isEqualTo(new Outcome.Applied());
    assertThat(imported.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(process("busy")).isEqualTo(new Outcome.Duplicate());
    assertThat(process("idle")).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects("busy")).isEqualTo(1);
    assertThat(ledger.effects("idle")).isZero();
  }

  /**
   * It rolls back: the hand-written table says that it was applied, so the import stores the key.
   */
  @Test
  void aClaimInFlightThatFailsIsImported() throws Exception {
    database.executeAsOwner("INSERT INTO public.processed_messages VALUES ('busy', now())");
    CompletableFuture<Long> imported = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                inbox.process(
                    Message.builder().id("busy").build(),
                    (m, tx) -> {
                      importBeside(imported);
                      throw new IllegalStateException("no money");
                    }))
        .isInstanceOf(HandlerFailedException.class);
    assertThat(imported.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(process("busy")).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects()).isZero();
  }

  /** Returns when the import has asked for the key several times, each time in a new session. */
  private void importBeside(CompletableFuture<Long> imported) {
    CompletableFuture.runAsync(
        () -> {
          try {
            imported.complete(schema.importKeys(from(null), "somebody"));
          } catch (RuntimeException e) {
            imported.completeExceptionally(e);
          }
        });
    Set<Long> sessions = new HashSet<>();
    Await.until(
        "the import asks again and again",
        DEADLINE,
        () -> {
          sessions.add(
              database.queryLong(
                  "SELECT max(pid) FROM pg_stat_activity WHERE usename = '"
                      + database.ownerName()
                      + "' AND pid <> pg_backend_pid() AND query NOT LIKE '%\"processed_messages\"%'"));
          return sessions.size() > 3;
        });
  }

  /** The key is stored as a claim of any identity would store it. */
  @Test
  void theImportedKeyFitsOtherIdentities() throws SQLException {
    database.executeAsOwner("INSERT INTO public.processed_messages VALUES ('7:charge', now())");
    schema.importKeys(from(null), "somebody");
    Inbox byKey =
        Semel.builder(database.runtimeDataSource())
            .build()
            .inbox(
                Consumer.named(CONSUMER).identity(Identity.key(m -> m.text() + ":charge")).build());
    Message old = Message.builder().timestamp(Instant.now()).body("7").build();
    assertThat(byKey.process(old, Ledger::apply)).isEqualTo(new Outcome.Duplicate());
  }

  private static Schema.Import from(String atColumn) {
    return new Schema.Import("public.processed_messages", "message_id", CONSUMER, atColumn);
  }

  private Outcome process(String id) {
    return inbox.process(Message.builder().id(id).body("{}").build(), Ledger::apply);
  }
}
