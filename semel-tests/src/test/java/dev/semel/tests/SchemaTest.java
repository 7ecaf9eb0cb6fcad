package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Schema;
import dev.semel.Semel;
import dev.semel.testkit.Await;
import dev.semel.testkit.ChildJvm;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import dev.semel.tests.worker.ApplyMain;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The tables: made once whoever makes them, never dropped, never mistaken for others of the same
 * names, and used by a role that owns nothing.
 */
@WithServices
class SchemaTest {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final TestDatabase database;
  private String name;
  private Schema schema;

  SchemaTest(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void fresh() {
    name = "s" + Long.toHexString(System.nanoTime());
    schema = owner(name).schema();
  }

  @Test
  void applyingTwiceDoesItOnce() throws SQLException {
    assertThat(schema.problems())
        .singleElement()
        .asString()
        .contains(name)
        .endsWith("run: semel schema apply --schema " + name);
    assertThat(schema.apply()).containsExactly(1, 2, 3);
    long id = database.queryLong("SELECT hashtext(id::text) FROM " + name + ".installation");
    assertThat(schema.apply()).isEmpty();
    assertThat(schema.problems()).isEmpty();
    assertThat(database.queryLong("SELECT hashtext(id::text) FROM " + name + ".installation"))
        .isEqualTo(id);
    assertThat(database.queryLong("SELECT count(*) FROM " + name + ".schema_version")).isEqualTo(3);
  }

  /** Both are held at the lock until both are there. */
  @Test
  void twoProcessesApplyAtOnce() throws IOException, SQLException {
    try (Connection holder = database.ownerDataSource().getConnection();
        Statement s = holder.createStatement()) {
      holder.setAutoCommit(false);
      s.execute("SELECT pg_advisory_xact_lock(hashtextextended('" + name + "', 5361893))");
      try (ChildJvm one = applying();
          ChildJvm two = applying()) {
        Await.until(
            "both wait",
            DEADLINE,
            () ->
                database.queryLong(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname ="
                            + " current_database())")
                    == 2);
        holder.rollback();
        assertThat(one.waitForExit(DEADLINE)).isZero();
        assertThat(two.waitForExit(DEADLINE)).isZero();
        List<String> said = new ArrayList<>(one.output());
        said.addAll(two.output());
        assertThat(said).containsExactlyInAnyOrder("APPLIED [1, 2, 3]", "APPLIED []");
      }
    }
    assertThat(schema.problems()).isEmpty();
  }

  private ChildJvm applying() throws IOException {
    return ChildJvm.builder(ApplyMain.class)
        .args(database.jdbcUrl(), database.ownerName(), database.ownerPassword(), name)
        .start();
  }

  /** The printed SQL, run by somebody's own migration tool, is the same thing. */
  @Test
  void thePrintedSqlIsWhatApplyDoes() throws SQLException {
    database.executeAsOwner(schema.sql());
    assertThat(schema.problems()).isEmpty();
    assertThat(schema.apply()).isEmpty();
  }

  @Test
  void nothingIsEverDropped() throws SQLException {
    assertThat(schema.sql().replaceAll("--.*", "").toUpperCase(Locale.ROOT))
        .doesNotContain("DROP ", "TRUNCATE ", "DELETE FROM", "OR REPLACE");
    schema.apply();
    inbox(owner(name)).process(message("k"), (m, tx) -> {});
    String[] before = objects();
    schema.apply();
    schema.problems();
    assertThat(objects()).isEqualTo(before);
    assertThat(inbox(owner(name)).process(message("k"), (m, tx) -> {}))
        .isEqualTo(new Outcome.Duplicate());
  }

  /** Tables of somebody else in the chosen schema stop it, untouched. */
  @Test
  void aForeignTableOfTheSameNameStaysAsItIs() throws SQLException {
    database.executeAsOwner(
        "CREATE SCHEMA " + name,
        "CREATE TABLE " + name + ".workers (mine text)",
        "INSERT INTO " + name + ".workers VALUES ('mine')");
    assertThatThrownBy(schema::apply)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("workers");
    assertThat(database.queryLong("SELECT count(*) FROM " + name + ".workers WHERE mine = 'mine'"))
        .isEqualTo(1);
    assertThat(objects()).hasSize(1);
  }

  @Test
  void eachProblemIsNamedWithItsRemedy() throws SQLException {
    schema.apply();
    problem(
        "ALTER TABLE %s.processed_messages_1 DISABLE TRIGGER guard",
        "2 enabled guard triggers instead of 3",
        "ALTER TABLE %s.processed_messages_1 ENABLE TRIGGER guard");
    problem(
        "CREATE TEMP TABLE kept AS SELECT * FROM %1$s.slots; DELETE FROM %1$s.slots",
        "0 rows in slots instead of 1",
        "INSERT INTO %s.slots VALUES (true, 0, now(), '{-infinity,-infinity,-infinity}', '-infinity')");
    for (int script = 1; script <= 2; script++) {
      String reverse = "UPDATE %s.schema_version SET checksum = reverse(checksum) WHERE version = ";
      problem(
          reverse + script,
          "script " + script + " was applied with other content",
          reverse + script);
    }
    problem(
        "INSERT INTO %s.schema_version (version, checksum) VALUES (99, 'x')",
        "script 99 is not known here: this library is older",
        "DELETE FROM %s.schema_version WHERE version = 99");
    assertThat(schema.problems()).isEmpty();
    database.executeAsOwner(
        "INSERT INTO " + name + ".schema_version (version, checksum) VALUES (99, 'x')");
    assertThatThrownBy(schema::apply)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("newer Semel");
  }

  private void problem(String harm, String told, String repair) throws SQLException {
    database.executeAsOwner(harm.formatted(name));
    assertThat(schema.problems())
        .singleElement()
        .asString()
        .startsWith(told)
        .contains("semel schema");
    database.executeAsOwner(repair.formatted(name));
    assertThat(schema.problems()).isEmpty();
  }

  @Test
  void theSearchPathIsOfNoImportance() throws SQLException {
    Hostile.in(database);
    database.executeAsOwner(
        "CREATE TABLE public.processed_messages (message_id text)",
        "CREATE TABLE public.outbox (id bigint)",
        "CREATE TABLE public.slots (turn bigint)",
        "INSERT INTO public.processed_messages VALUES ('theirs')",
        "INSERT INTO public.outbox VALUES (1)");
    String settings = "ALTER ROLE " + database.ownerName() + " SET search_path = ";
    superuser(settings + Hostile.SCHEMA + ", public");
    try {
      schema.apply();
      assertThat(schema.problems()).isEmpty();
      Inbox inbox = inbox(owner(name));
      assertThat(inbox.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Applied());
      assertThat(inbox.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Duplicate());
      assertThat(inbox.process(Message.builder().build(), (m, tx) -> {}))
          .isInstanceOf(Outcome.Parked.class);
      assertThat(
              schema.importKeys(
                  new Schema.Import("public.processed_messages", "message_id", "imported", null),
                  "test"))
          .isEqualTo(1);
    } finally {
      superuser("ALTER ROLE " + database.ownerName() + " RESET search_path");
    }
    Hostile.assertUntouched(database);
    assertThat(database.queryLong("SELECT count(*) FROM public.processed_messages")).isEqualTo(1);
    assertThat(database.queryLong("SELECT count(*) FROM public.outbox")).isEqualTo(1);
    assertThat(database.queryLong("SELECT count(*) FROM public.slots")).isZero();
    assertThat(database.queryLong("SELECT count(*) FROM " + name + ".processed_messages"))
        .isEqualTo(2);
    database.executeAsOwner(
        "DROP TABLE public.processed_messages",
        "DROP TABLE public.outbox",
        "DROP TABLE public.slots");
  }

  /** Grants and no more: no ownership, no DDL, no TRUNCATE. */
  @Test
  void theRuntimeRoleUsesEverythingAndOwnsNothing() throws SQLException {
    schema.apply();
    Semel runtime = Semel.builder(database.runtimeDataSource()).schema(name).build();
    assertThatThrownBy(() -> runtime.schema().problems())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("has not the rights");
    String grants = schema.grants(database.runtimeName());
    assertThat(verbs(grants))
        .containsExactly("DELETE", "EXECUTE", "INSERT", "SELECT", "UPDATE", "USAGE");
    database.executeAsOwner(grants);

    assertThat(runtime.schema().problems()).isEmpty();
    Inbox inbox = inbox(runtime);
    assertThat(inbox.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Duplicate());
    assertThat(inbox.process(Message.builder().id("k").body("other").build(), (m, tx) -> {}))
        .isEqualTo(new Outcome.Conflict());
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      var claim = inbox.claim(c, message("by-hand"));
      claim.verify();
      c.commit();
    }
    assertThat(runtime.schema().apply()).as("there is nothing to do").isEmpty();
    Schema other = Semel.builder(database.runtimeDataSource()).schema(name + "b").build().schema();
    assertThatThrownBy(other::apply)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("rights");
    for (String ddl :
        List.of(
            "TRUNCATE %s.processed_messages_0",
            "ALTER TABLE %s.processed_messages_0 DISABLE TRIGGER guard",
            "DROP TABLE %s.slots",
            "CREATE TABLE %s.mine ()")) {
      assertThatThrownBy(() -> execute(database.runtimeDataSource(), ddl.formatted(name)))
          .isInstanceOf(SQLException.class)
          .hasFieldOrPropertyWithValue("SQLState", "42501");
    }
  }

  @Test
  void aRoleWithAnAwkwardNameGetsItsGrants() throws SQLException {
    schema.apply();
    String role = "Weird \"Role\" " + name;
    String quoted = '"' + role.replace("\"", "\"\"") + '"';
    superuser("CREATE ROLE " + quoted);
    try {
      database.executeAsOwner(schema.grants(role));
      assertThat(
              database.queryLong(
                  "SELECT has_table_privilege('"
                      + role
                      + "', '"
                      + name
                      + ".slots', 'UPDATE')::int"))
          .isEqualTo(1);
    } finally {
      superuser("DROP OWNED BY " + quoted, "DROP ROLE " + quoted);
    }
  }

  /** One consumer, one key, two schemas: neither sees the other's keys or locks. */
  @Test
  void twoSchemasInOneDatabaseDoNotDisturbEachOther() throws SQLException {
    String second = name + "b";
    schema.apply();
    owner(second).schema().apply();
    Inbox one = inbox(owner(name));
    Inbox two = inbox(owner(second));
    Outcome[] beside = new Outcome[1];
    assertThat(
            one.process(
                message("k"), (m, tx) -> beside[0] = two.process(message("k"), (n, ty) -> {})))
        .isEqualTo(new Outcome.Applied());
    assertThat(beside).containsExactly(new Outcome.Applied());
    assertThat(two.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Duplicate());
    two.process(message("only-there"), (m, tx) -> {});
    assertThat(database.queryLong("SELECT count(*) FROM " + name + ".processed_messages"))
        .isEqualTo(1);
    assertThat(database.queryLong("SELECT count(*) FROM " + second + ".processed_messages"))
        .isEqualTo(2);
    database.executeAsOwner("UPDATE " + second + ".slots SET turn = 2");
    assertThat(one.process(message("k"), (m, tx) -> {})).isEqualTo(new Outcome.Duplicate());
  }

  private Semel owner(String inSchema) {
    return Semel.builder(database.ownerDataSource()).schema(inSchema).build();
  }

  private static Inbox inbox(Semel semel) {
    return semel.inbox("schema-test");
  }

  private static Message message(String id) {
    return Message.builder().id(id).body("{}").build();
  }

  /** Everything in the schema, with what identifies it. */
  private String[] objects() throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement();
        ResultSet r =
            s.executeQuery(
                "SELECT array_agg(oid || ' ' || relname || ' ' || relfilenode ORDER BY oid) FROM pg_class"
                    + " WHERE relkind IN ('r', 'v') AND relnamespace = '"
                    + name
                    + "'::regnamespace")) {
      r.next();
      return (String[]) r.getArray(1).getArray();
    }
  }

  private static TreeSet<String> verbs(String grants) {
    TreeSet<String> verbs = new TreeSet<>();
    for (String line : grants.split(";\\s*")) {
      assertThat(line).startsWith("GRANT ");
      verbs.addAll(List.of(line.substring(6, line.indexOf(" ON ")).split(",\\s*")));
    }
    return verbs;
  }

  private void superuser(String... sql) throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      for (String each : sql) {
        s.execute(each);
      }
    }
  }

  private static void execute(DataSource by, String sql) throws SQLException {
    try (Connection c = by.getConnection();
        Statement s = c.createStatement()) {
      s.execute(sql);
    }
  }
}
