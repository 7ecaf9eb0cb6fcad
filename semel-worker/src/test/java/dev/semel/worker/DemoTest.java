package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a process, the way a person starts it. */
@WithServices
class DemoTest {

  private static final int KILLS = 2;
  private static final int MESSAGES = 150;

  @TempDir Path temporary;

  /** PostgreSQL's account must be able to enter when the tests run as root. */
  @BeforeEach
  void openTheDoor() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
  }

  @Test
  void shows_loss_and_doubles_of_the_others_and_none_of_ours_on_embedded_servers()
      throws Exception {
    Process demo = start("--seed", "42", "--json");
    String out = read(demo);

    assertThat(demo.waitFor()).isZero();
    assertThat(out.strip().lines()).hasSize(1);
    requireShown(new ObjectMapper().readTree(out));
    requireNothingLeft();
  }

  @Test
  void also_on_rabbitmq_and_a_given_database(TestDatabase database, TestVhost vhost)
      throws Exception {
    Path password = temporary.resolve("password");
    Files.writeString(password, database.ownerPassword());
    Process demo =
        start(
            "--seed=43",
            "--json",
            "--amqp=" + vhost.amqpUri(),
            "--jdbc=" + database.jdbcUrl(),
            "--user=" + database.ownerName(),
            "--password-file=" + password);
    String out = read(demo);

    assertThat(demo.waitFor()).isZero();
    requireShown(new ObjectMapper().readTree(out));
    assertThat(
            database.queryLong(
                "select count(*) from pg_namespace where nspname like 'semel_demo%'"))
        .isZero();
  }

  @Test
  void an_interrupt_ends_everything_that_was_started() throws Exception {
    Process demo = start("--seed", "44");
    // from here on workers are born and killed
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (histories().isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    List<ProcessHandle> children = demo.descendants().toList();
    demo.toHandle().destroy();

    assertThat(demo.waitFor()).isEqualTo(143);
    assertThat(children).hasSizeGreaterThanOrEqualTo(3);
    assertThat(read(demo)).isEmpty();
    for (ProcessHandle each : children) {
      each.onExit().get(10, TimeUnit.SECONDS);
    }
    requireNothingLeft();
  }

  private static void requireShown(JsonNode json) {
    assertThat(names(json))
        .containsExactly(
            "messages",
            "published",
            "kills",
            "ackFirst",
            "naive",
            "semel",
            "outbox",
            "relayKills",
            "seconds");
    assertThat(names(json.get("ackFirst")))
        .containsExactly("deliveries", "effects", "doubled", "lost");
    assertThat(names(json.get("naive")))
        .containsExactly("deliveries", "effects", "doubled", "lost");
    JsonNode semel = json.get("semel");
    assertThat(names(semel))
        .containsExactly("deliveries", "effects", "doubled", "lost", "duplicates");
    assertThat(json.get("messages").asInt()).isEqualTo(MESSAGES);
    assertThat(json.get("published").asInt()).isGreaterThan(MESSAGES);
    assertThat(json.get("kills").asInt()).isEqualTo(KILLS);
    assertThat(json.get("ackFirst").get("lost").asInt()).isPositive();
    assertThat(json.get("naive").get("doubled").asInt()).isPositive();
    assertThat(json.get("naive").get("lost").asInt()).isZero();
    assertThat(semel.get("effects").asInt()).isEqualTo(MESSAGES);
    assertThat(semel.get("doubled").asInt()).isZero();
    assertThat(semel.get("lost").asInt()).isZero();
    assertThat(semel.get("duplicates").asInt() * 3).isGreaterThanOrEqualTo(KILLS);
    assertThat(semel.get("deliveries").asInt()).isGreaterThan(json.get("published").asInt());
    requireEvents(json.get("outbox"));
    assertThat(json.get("relayKills").asInt()).isBetween(1, KILLS);
  }

  private static void requireEvents(JsonNode outbox) {
    assertThat(names(outbox))
        .containsExactly("written", "delivered", "copies", "lost", "inventedOrDoubledIds");
    assertThat(outbox.get("written").asInt()).isEqualTo(MESSAGES);
    assertThat(outbox.get("delivered").asInt()).isEqualTo(MESSAGES);
    assertThat(outbox.get("lost").asInt()).isZero();
    assertThat(outbox.get("inventedOrDoubledIds").asInt()).isZero();
  }

  private Process start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("demo", "--messages=" + MESSAGES, "--kills=" + KILLS));
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(temporary.resolve("err").toFile()).start();
  }

  private static String read(Process process) throws IOException {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      return out.lines().collect(Collectors.joining("\n"));
    }
  }

  private static List<String> names(JsonNode json) {
    List<String> names = new ArrayList<>();
    json.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private Set<Path> histories() {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files
          .filter(each -> each.getFileName().toString().startsWith("ack_first-"))
          .collect(Collectors.toSet());
    } catch (UncheckedIOException | IOException e) {
      // something vanished meanwhile: look again
      return Set.of();
    }
  }

  /** But for the unpacked PostgreSQL, which is kept for the next time. */
  private void requireNothingLeft() throws IOException {
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.map(each -> each.getFileName().toString()))
          .isSubsetOf("err", "password", "semel-cache-root");
    }
    assertThat(Files.readAllLines(temporary.resolve("err")))
        .allMatch(line -> line.startsWith("seed "));
  }
}
