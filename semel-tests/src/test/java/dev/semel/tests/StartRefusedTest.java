package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.Consumer;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Schema;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import dev.semel.tests.worker.WorkerKind;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What keeps a worker from starting, each with one line that says what to do: a database that is a
 * copy, a consumer that belongs to another source, missing rights, missing or damaged tables.
 */
@WithServices
class StartRefusedTest {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final TestDatabase database;
  private final TestVhost vhost;
  private final Ledger ledger;
  private final Semel runtime;
  private String queue;

  StartRefusedTest(TestDatabase database, TestVhost vhost) throws SQLException {
    this.database = database;
    this.vhost = vhost;
    this.ledger = Ledger.in(database);
    this.runtime = Semel.builder(database.runtimeDataSource()).lanes(1).build();
  }

  @BeforeEach
  void begin() throws IOException, SQLException {
    queue = vhost.declareQueue(vhost.unique("q"));
    database.executeAsOwner(
        "TRUNCATE public.effects, semel.consumers, semel.workers, semel.audit",
        "TRUNCATE semel.processed_messages_0");
  }

  @AfterEach
  void end() throws IOException {
    vhost.deleteQueue(queue);
  }

  /** As a process, too: it ends, with the line on its standard error. */
  @Test
  void aMovedDatabaseIsAdoptedWithItsId(@TempDir Path history) throws IOException, SQLException {
    String id = installationId();
    moveElsewhere();
    try (WorkerProcess worker =
        WorkerSpec.of(WorkerKind.SEMEL, database, vhost, queue, history).launch()) {
      assertThat(worker.waitForExit()).isNotZero();
      assertThat(worker.log())
          .anyMatch(
              l ->
                  l.contains(
                          "cannot start: installation: this database was restored, copied or moved")
                      && l.contains("semel schema adopt --moved")
                      && l.contains("--copied"));
    }
    assertThat(database.queryLong("SELECT count(*) FROM semel.workers")).isZero();

    ownerSchema().adopt(Schema.Adoption.MOVED, "somebody", "new cluster");
    assertThat(installationId()).isEqualTo(id);
    applies("after-move");
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.audit WHERE who = 'somebody' AND verb = 'schema adopt'"
                    + " AND target = 'moved' AND reason = 'new cluster'"))
        .isEqualTo(1);
    assertThatThrownBy(() -> ownerSchema().adopt(Schema.Adoption.MOVED, "somebody", "again"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nothing to adopt");
  }

  @Test
  void aCopiedDatabaseGetsAnIdOfItsOwn() throws IOException, SQLException {
    applies("before");
    String id = installationId();
    moveElsewhere();
    refused(consumer("payments"), "installation: ", "semel schema adopt");
    database.executeAsOwner("INSERT INTO semel.outbox (routing_key, body) VALUES ('q', 'x')");
    ownerSchema().adopt(Schema.Adoption.COPIED, "somebody", "staging");
    assertThat(installationId()).isNotEqualTo(id);
    assertThat(database.queryLong("SELECT count(*) FROM semel.outbox WHERE state = 'parked'"))
        .as("what the original sends the copy does not")
        .isEqualTo(1);
    database.executeAsOwner("TRUNCATE semel.outbox");
    applies("after-copy");
    Inbox inbox = runtime.inbox("payments");
    assertThat(inbox.process(Message.builder().id("before").body("ok").build(), Ledger::apply))
        .as("what the original had applied is known to the copy")
        .isEqualTo(new Outcome.Duplicate());
  }

  /** Its keys would take the other source's messages for copies. */
  @Test
  void aConsumerOnAnotherSourceIsRefusedUnlessItMoved() throws IOException, SQLException {
    applies("k");
    String old = "rabbitmq:" + vhost.name() + "/" + queue;
    String second = vhost.declareQueue(vhost.unique("q"));
    Consumer.Builder moved = consumer("payments", second);
    refused(moved, "consumer 'payments' belongs to source " + old, "movedFrom(\"" + old + "\")");
    refused(moved.movedFrom("rabbitmq:elsewhere"), "belongs to source " + old);
    assertThat(database.queryLong("SELECT count(*) FROM semel.workers WHERE ending IS NULL"))
        .as("who was refused is not on the list")
        .isZero();

    vhost.publish(second, "k", "ok");
    vhost.publish(second, "k-2", "ok");
    try (Worker worker = runtime.start(moved.movedFrom(old).build())) {
      assertThat(worker.health()).isNotNull();
      Await.until("the second is applied", DEADLINE, () -> ledger.effects("k-2") == 1);
    }
    assertThat(ledger.effects("k")).as("its keys moved with it").isEqualTo(1);
    refused(consumer("payments"), "belongs to source rabbitmq:" + vhost.name() + "/" + second);
    // Once moved, it is simply at home there.
    runtime.start(consumer("payments", second).build()).close();
    vhost.deleteQueue(second);
  }

  @Test
  void missingRightsAreNamed() throws SQLException {
    String role = database.runtimeName();
    database.executeAsOwner("REVOKE UPDATE ON semel.slots, semel.workers FROM " + role);
    refused(consumer("payments"), "rights: ", "slots, workers", "semel schema print --grants");
    database.executeAsOwner("REVOKE SELECT ON semel.schema_version FROM " + role);
    refused(consumer("payments"), "rights: ", "schema_version", "semel schema print --grants");
    database.executeAsOwner("REVOKE USAGE ON SCHEMA semel FROM " + role);
    refused(consumer("payments"), "rights: ", "semel schema print --grants");
    database.executeAsOwner(ownerSchema().grants(role));
  }

  @Test
  void missingOrDamagedTablesAreNamed() throws SQLException {
    Semel elsewhere =
        Semel.builder(database.runtimeDataSource()).schema("nowhere").lanes(1).build();
    assertThatThrownBy(() -> elsewhere.start(consumer("payments").build()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the schema 'nowhere' has no Semel tables")
        .hasMessageContaining("semel schema apply --schema nowhere");
    database.executeAsOwner("ALTER TABLE semel.processed_messages_2 DISABLE TRIGGER guard");
    refused(consumer("payments"), "2 enabled guard triggers instead of 3");
    database.executeAsOwner("ALTER TABLE semel.processed_messages_2 ENABLE TRIGGER guard");
  }

  /** Three workers that are alive already leave no room for a fourth with as many locks. */
  @Test
  void tooManyLocksAreRefused() throws SQLException {
    database.executeAsOwner(
        "INSERT INTO semel.workers (id, host, version, roles, lanes, batch, locks)"
            + " SELECT gen_random_uuid(), 'h', 'v', '{}', 8, 1000, 8000 FROM generate_series(1, 3)");
    refused(consumer("payments"), "lock-budget: ", "fewer lanes or a smaller batch");
    database.executeAsOwner("UPDATE semel.workers SET seen_at = now() - interval '31 seconds'");
    runtime.start(consumer("payments").build()).close();
  }

  private void refused(Consumer.Builder consumer, String... told) {
    assertThatThrownBy(() -> runtime.start(consumer.build()).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("cannot start: ")
        .hasMessageContainingAll(told)
        .hasMessageNotContaining("\n");
  }

  private void applies(String key) throws IOException, SQLException {
    vhost.publish(queue, key, "ok");
    try (Worker worker = runtime.start(consumer("payments").build())) {
      assertThat(worker.health()).isNotNull();
      Await.until(key + " is applied", DEADLINE, () -> ledger.effects(key) == 1);
    }
  }

  private Consumer.Builder consumer(String name) {
    return consumer(name, queue);
  }

  private Consumer.Builder consumer(String name, String from) {
    return Consumer.named(name)
        .source(RabbitMq.queue(vhost.amqpUri(), from))
        .handler(Ledger::apply);
  }

  private Schema ownerSchema() {
    return Semel.builder(database.ownerDataSource()).build().schema();
  }

  /** What a dump restored into another database looks like. */
  private void moveElsewhere() throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement()) {
      assertThat(s.executeUpdate("UPDATE semel.installation SET database_oid = 1")).isEqualTo(1);
    }
  }

  private String installationId() throws SQLException {
    try (Connection c = database.superConnection();
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("SELECT id FROM semel.installation")) {
      r.next();
      return r.getString(1);
    }
  }
}
