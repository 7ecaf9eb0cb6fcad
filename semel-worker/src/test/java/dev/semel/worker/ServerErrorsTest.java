package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input that only a server can judge: one line that says what to do, and exit status 2. */
@WithServices
class ServerErrorsTest {

  private final TestDatabase database;
  private final TestVhost vhost;

  ServerErrorsTest(TestDatabase database, TestVhost vhost) {
    this.database = database;
    this.vhost = vhost;
  }

  @Test
  void wrong_password_of_the_database() {
    assertThat(asOwner(Map.of("SEMEL_JDBC_PASSWORD", "wrong-wrong-wrong")).complaint())
        .contains("refused the password", database.ownerName(), "--password-file")
        .doesNotContain("wrong-wrong-wrong");
  }

  @Test
  void no_password_for_the_database() {
    assertThat(asOwner(Map.of()).complaint()).contains("SEMEL_JDBC_PASSWORD", "--password-file");
  }

  @Test
  void unknown_database() {
    String url = database.jdbcUrl().replace(database.name(), "nowhere");

    assertThat(
            Cli.run(
                    Map.of("SEMEL_JDBC_PASSWORD", database.ownerPassword(), "SEMEL_JDBC_URL", url),
                    "schema",
                    "validate",
                    "--user",
                    database.ownerName())
                .complaint())
        .contains("nowhere", "--jdbc");
  }

  @Test
  void unreachable_database() throws Exception {
    int port = closedPort();

    assertThat(
            Cli.run("schema", "apply", "--jdbc", "jdbc:postgresql://127.0.0.1:" + port + "/shop")
                .complaint())
        .contains("cannot reach PostgreSQL at 127.0.0.1:" + port, "is it running");
  }

  @Test
  void unknown_host_of_the_database() {
    assertThat(
            Cli.run("schema", "apply", "--jdbc", "jdbc:postgresql://nowhere.invalid/shop")
                .complaint())
        .contains("cannot reach", "nowhere.invalid", "unknown host");
  }

  @Test
  void old_database() throws Exception {
    try (OldPostgres old = OldPostgres.start()) {
      assertThat(Cli.run("schema", "apply", "--jdbc", old.jdbcUrl(), "--user", "me").complaint())
          .contains("version 13", "14 or newer");
    }
  }

  @Test
  void missing_rights() {
    Cli cli =
        Cli.run(
            Map.of("SEMEL_JDBC_PASSWORD", database.runtimePassword()),
            "schema",
            "apply",
            "--jdbc",
            database.jdbcUrl(),
            "--user",
            database.runtimeName(),
            "--schema",
            "forbidden");

    assertThat(cli.status()).isEqualTo(ExitStatus.NOT_ASKED);
    assertThat(cli.complaint()).containsIgnoringCase("owner").doesNotContain("\tat ");
  }

  @Test
  void validate_tells_what_is_missing_until_it_is_applied(@TempDir Path directory)
      throws Exception {
    Path password = directory.resolve("password");
    Files.writeString(password, database.ownerPassword() + "\n");
    String[] login = {
      "--jdbc", database.jdbcUrl(),
      "--user", database.ownerName(),
      "--password-file", password.toString(),
      "--schema", "checked"
    };

    Cli before = Cli.run(args(login, "schema", "validate"));
    Cli applied = Cli.run(args(login, "schema", "apply"));
    Cli again = Cli.run(args(login, "schema", "apply"));
    Cli after = Cli.run(args(login, "schema", "validate"));

    assertThat(before.status()).isEqualTo(ExitStatus.BAD);
    assertThat(before.out()).contains("checked");
    assertThat(List.of(applied.status(), again.status(), after.status())).containsOnly(0);
    assertThat(applied.out()).contains("applied to schema checked: [1, 2, 3]");
    assertThat(again.out()).contains("nothing to do");
    assertThat(after.out()).contains("schema checked is good");
  }

  @Test
  void import_takes_keys_over_and_may_be_repeated() throws Exception {
    database.executeAsOwner(
        "create schema hand", "create table hand.done(message_id text primary key)");
    database.executeAsOwner("insert into hand.done select 'm' || n from generate_series(1, 25) n");
    Map<String, String> environment =
        Map.of(
            "SEMEL_JDBC_URL", database.jdbcUrl(),
            "SEMEL_JDBC_USER", database.ownerName(),
            "SEMEL_JDBC_PASSWORD", database.ownerPassword());
    String[] schema = {"--schema", "imported"};
    String[] from = args(schema, "schema", "import", "--from", "hand.done", "--consumer", "c");

    assertThat(Cli.run(environment, args(schema, "schema", "apply")).status()).isZero();
    Cli first = Cli.run(environment, from);
    Cli second = Cli.run(environment, from);
    Cli noTable =
        Cli.run(
            environment, args(schema, "schema", "import", "--from", "hand.no", "--consumer", "c"));
    Cli adopt = Cli.run(environment, args(schema, "schema", "adopt", "--moved", "--reason", "x"));

    assertThat(first.out()).contains("new: 25");
    assertThat(second.out()).contains("new: 0");
    assertThat(noTable.complaint()).contains("hand.no");
    assertThat(adopt.complaint()).contains("adopt");
  }

  @Test
  void wrong_password_of_the_broker() {
    URI uri = URI.create(vhost.amqpUri());
    String wrong = vhost.amqpUri().replace(uri.getRawUserInfo(), "nobody-here:wrong-wrong-wrong");

    assertThat(Cli.run("demo", "--amqp", wrong).err().lines().filter(l -> !l.startsWith("seed")))
        .singleElement()
        .asString()
        .contains("refused user 'nobody-here'", "--amqp")
        .doesNotContain("wrong-wrong-wrong");
  }

  @Test
  void unknown_vhost_of_the_broker() {
    String wrong = vhost.amqpUri().replaceFirst("/[^/]*$", "/nowhere");

    assertThat(Cli.run("demo", "--amqp", wrong).complaint()).contains("'nowhere'", "--amqp");
  }

  @Test
  void unreachable_broker() throws Exception {
    int port = closedPort();

    assertThat(Cli.run("demo", "--amqp", "amqp://me:secret-secret@127.0.0.1:" + port).complaint())
        .contains("cannot reach a broker at 127.0.0.1:" + port, "is it running")
        .doesNotContain("secret-secret");
  }

  @Test
  void port_taken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = Integer.toString(taken.getLocalPort());

      assertThat(Cli.run("demo", "--broker-port", port).complaint())
          .contains("port " + port, "taken", "--broker-port");
      assertThat(Cli.run("demo", "--database-port", port).complaint())
          .contains("port " + port, "taken", "--database-port");
    }
  }

  private Cli asOwner(Map<String, String> environment) {
    return Cli.run(
        environment,
        "schema",
        "apply",
        "--jdbc",
        database.jdbcUrl(),
        "--user",
        database.ownerName());
  }

  private static String[] args(String[] last, String... first) {
    List<String> all = new ArrayList<>(List.of(first));
    all.addAll(List.of(last));
    return all.toArray(String[]::new);
  }

  private static int closedPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }
}
