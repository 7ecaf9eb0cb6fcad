package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

  private static final String ROW = "1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11";

  static List<String> verbs() {
    return List.of(
        "",
        "demo",
        "outbox",
        "outbox list",
        "outbox show",
        "outbox retry",
        "outbox discard",
        "outbox pause",
        "outbox resume",
        "outbox books",
        "parked",
        "parked list",
        "parked show",
        "parked replay",
        "parked discard",
        "parked books",
        "relay",
        "schema",
        "schema print",
        "schema apply",
        "schema validate",
        "schema adopt",
        "schema import");
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void help_of_every_verb_has_an_example_and_the_exit_statuses(String verb) {
    List<String> args = new ArrayList<>(List.of(verb.split(" ")));
    args.remove("");
    args.add("--help");

    Cli cli = Cli.run(args.toArray(String[]::new));

    assertThat(cli.status()).isZero();
    assertThat(cli.err()).isEmpty();
    assertThat(cli.out())
        .contains("Example:", "  semel ", "Exit status:", "could not be asked", "130, 143");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "outbox list",
        "outbox show",
        "outbox retry",
        "outbox discard",
        "outbox pause",
        "outbox resume",
        "outbox books",
        "relay",
        "parked list",
        "parked show",
        "parked replay",
        "parked discard",
        "parked books",
        "schema apply",
        "schema validate",
        "schema adopt"
      })
  void help_of_a_verb_with_servers_says_where_they_are_named(String verb) {
    Cli cli = Cli.run((verb + " --help").split(" "));

    assertThat(cli.out()).contains("--jdbc", "--user", "--password-file", "SEMEL_JDBC_PASSWORD");
  }

  @Test
  void an_unknown_option_is_refused_with_the_nearest_one() {
    assertThat(Cli.run("demo", "--mesages", "5").complaint())
        .contains("unknown option '--mesages'", "--messages", "semel demo --help");
  }

  @Test
  void an_unknown_verb_is_refused_with_the_nearest_one() {
    assertThat(Cli.run("shema").complaint()).contains("'shema'", "did you mean", "schema");
  }

  @Test
  void no_verb_is_refused() {
    assertThat(Cli.run().complaint()).contains("no verb", "semel --help");
    assertThat(Cli.run("schema").complaint()).contains("no verb", "semel schema --help");
    assertThat(Cli.run("parked").complaint()).contains("no verb", "semel parked --help");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--password=hunter2-hunter2", "--password hunter2-hunter2"})
  void a_password_is_no_option_and_is_not_repeated(String option) {
    Cli cli = Cli.run(("schema apply " + option).split(" "));

    assertThat(cli.complaint())
        .contains("no option --password", "SEMEL_JDBC_PASSWORD", "--password-file")
        .doesNotContain("hunter2");
  }

  @Test
  void a_value_that_is_no_number_is_refused() {
    assertThat(Cli.run("demo", "--kills", "many").complaint()).contains("--kills", "many");
  }

  @Test
  void too_few_kills_and_messages_are_refused() {
    assertThat(Cli.run("demo", "--kills", "1").complaint()).contains("--kills", "at least 2");
    assertThat(Cli.run("demo", "--messages", "99", "--kills", "9").complaint())
        .contains("--messages", "at least 100");
  }

  @Test
  void a_port_out_of_range_is_refused() {
    assertThat(Cli.run("demo", "--broker-port", "70000").complaint()).contains("70000", "65535");
  }

  @Test
  void a_missing_database_is_refused_with_option_and_variable() {
    assertThat(Cli.run("schema", "apply").complaint()).contains("--jdbc", "SEMEL_JDBC_URL");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgres://localhost/shop?password=hunter2-hunter2",
        "postgresql://me:hunter2-hunter2@localhost/shop",
        "me:hunter2-hunter2@localhost",
        "jdbc:postgresql://localhost:no/shop?password=hunter2-hunter2"
      })
  void a_wrong_jdbc_url_is_refused_without_its_password(String url) {
    assertThat(Cli.run("schema", "apply", "--jdbc", url).complaint())
        .contains("expected jdbc:postgresql://HOST:PORT/DATABASE")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://me:hunter2-hunter2@localhost/",
        "amqp://me:hunter2-hunter2@local host",
        "amqp://me:hunter2-hunter2@localhost:port/",
        "me:hunter2-hunter2@localhost",
        ""
      })
  void a_wrong_amqp_uri_is_refused_without_its_password(String uri) {
    assertThat(Cli.run("demo", "--amqp", uri).complaint())
        .contains("expected amqp://USER:PASSWORD@HOST:5672/VHOST")
        .doesNotContain("hunter2");
  }

  @Test
  void a_password_file_that_is_not_there_is_refused(@TempDir Path directory) {
    Path file = directory.resolve("none");

    assertThat(
            Cli.run(
                    "schema",
                    "apply",
                    "--jdbc",
                    "jdbc:postgresql://localhost/shop",
                    "--password-file",
                    file.toString())
                .complaint())
        .contains("--password-file", file.toString());
  }

  @Test
  void the_stack_trace_follows_only_where_it_is_asked_for() {
    String[] args = {"schema", "apply", "--jdbc", "jdbc:postgresql:x://?password=hunter2-hunter2"};

    assertThat(Cli.run(args).err()).doesNotContain("\tat ");
    assertThat(Cli.run(Map.of("SEMEL_DEBUG", "1"), args).err())
        .startsWith("semel: ")
        .contains("\tat dev.semel.worker.")
        .doesNotContain("hunter2");
  }

  @Test
  void schema_print_needs_no_database() {
    Cli sql = Cli.run("schema", "print", "--schema", "once");
    Cli grants = Cli.run("schema", "print", "--schema", "once", "--grants", "app");

    assertThat(sql.status()).isZero();
    assertThat(sql.out()).containsIgnoringCase("create schema").contains("once.");
    assertThat(grants.status()).isZero();
    assertThat(grants.out()).containsIgnoringCase("grant").contains("app");
    assertThat(sql.err() + grants.err()).isEmpty();
  }

  @Test
  void a_schema_name_that_cannot_be_is_refused() {
    assertThat(Cli.run("schema", "print", "--schema", "A-b").complaint()).contains("A-b");
  }

  @Test
  void adopt_wants_one_of_moved_and_copied_and_a_reason() {
    assertThat(Cli.run("schema", "adopt", "--reason", "x").complaint())
        .contains("--moved", "--copied");
    assertThat(Cli.run("schema", "adopt", "--moved").complaint()).contains("--reason");
    assertThat(Cli.run("schema", "adopt", "--moved", "--copied", "--reason", "x").complaint())
        .contains("--moved", "--copied");
  }

  @Test
  void the_root_lists_all_verbs() {
    assertThat(Cli.run("--help").out()).contains("  demo ", "  parked ", "  schema ");
    assertThat(Cli.run("parked", "--help").out())
        .contains("  list ", "  show ", "  replay ", "  discard ", "  books ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "discard"})
  void a_verb_that_changes_rows_means_no_row_by_accident(String verb) {
    String[] reason = {"parked", verb, "--reason", "x"};

    assertThat(Cli.run(reason).complaint())
        .contains("ID", "--consumer", "--all", "semel parked " + verb + " --help");
    assertThat(Cli.run(plus(reason, "--limit", "5")).complaint()).contains("--all");
    assertThat(Cli.run(plus(reason, ROW, "--limit", "5")).complaint()).contains("--limit");
    assertThat(Cli.run(plus(reason, "--all", "--limit", "5")).complaint()).contains("--limit");
    assertThat(Cli.run(plus(reason, "--all", ROW)).complaint()).contains("either ID or --all");
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "discard"})
  void a_verb_that_changes_rows_wants_a_reason_and_a_name(String verb) {
    assertThat(Cli.run("parked", verb, ROW).complaint()).contains("--reason");
    assertThat(Cli.run("parked", verb, ROW, "--reason", " ").complaint()).contains("reason");
    assertThat(Cli.run("parked", verb, ROW, "--reason", "x", "--who", "").complaint())
        .contains("who");
  }

  @ParameterizedTest
  @ValueSource(strings = {"order-17", "1-2-3-4-5", "1f0e0c9a7f0b4a439d1c0d6a5e2b9c11"})
  void what_is_no_id_of_a_row_is_refused(String id) {
    assertThat(Cli.run("parked", "show", id).complaint()).contains("'" + id + "'", "UUID", "list");
    assertThat(Cli.run("parked", "discard", ROW, id, "--reason", "x").complaint())
        .contains("'" + id + "'", "UUID", "list");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5x", "", "d", "-1d", "1.5h", "10", "1 h", "99999999999d"})
  void what_is_no_span_of_time_is_refused(String age) {
    assertThat(Cli.run("parked", "list", "--older-than", age).complaint())
        .contains("--older-than", "'" + age + "'", "30s");
  }

  @Test
  void a_span_of_time_that_no_database_can_reckon_with_is_refused() {
    assertThat(Cli.run("parked", "list", "--older-than", "999999999h").complaint())
        .contains("--older-than", "999999999h", "36500d");
  }

  @Test
  void a_state_and_a_limit_that_cannot_be_are_refused() {
    assertThat(Cli.run("parked", "list", "--state", "deed").complaint())
        .contains("--state", "'deed'", "waiting", "dead");
    assertThat(Cli.run("parked", "list", "--limit", "0").complaint())
        .contains("--limit", "at least 1");
    assertThat(Cli.run("parked", "list", "--limit", "many").complaint())
        .contains("--limit", "many");
    assertThat(Cli.run("parked", "show", ROW, "--body", "--json").complaint())
        .contains("--body", "--json");
    assertThat(Cli.run("parked", "show").complaint()).contains("ID");
    assertThat(Cli.run("parked", "show", ROW, ROW).complaint()).contains(ROW);
  }

  @Test
  void verbs_on_rows_want_a_database() {
    assertThat(Cli.run("parked", "list").complaint()).contains("--jdbc", "SEMEL_JDBC_URL");
    assertThat(Cli.run("parked", "replay", ROW, "--reason", "x").complaint()).contains("--jdbc");
  }

  private static String[] plus(String[] args, String... more) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void the_script_is_posix_shell() throws Exception {
    Path script = Path.of("..", "semel");

    assertThat(Files.readAllLines(script).get(0)).isEqualTo("#!/bin/sh");
    Process check = new ProcessBuilder("sh", "-n", script.toString()).inheritIO().start();
    assertThat(check.waitFor()).isZero();
  }
}
