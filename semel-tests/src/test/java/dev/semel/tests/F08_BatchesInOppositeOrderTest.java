package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two processes claim the same 200 keys at one moment, each in one batch, one ascending and one
 * descending, 2 rounds. Right: one effect each, nothing parked, no deadlock, no attempt spent.
 */
class F08_BatchesInOppositeOrderTest extends WorkerTest {

  private static final int ROUNDS = 2;
  private static final int KEYS = 200;

  private final PostgresServer postgres;
  private String descending;

  F08_BatchesInOppositeOrderTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  @BeforeEach
  void anotherQueue() throws IOException {
    descending = vhost.declareQueue(vhost.unique("descending"));
  }

  @AfterEach
  void noOtherQueue() throws IOException {
    vhost.deleteQueue(descending);
  }

  @Test
  void noDeadlock() throws IOException, SQLException {
    WorkerProcess one = start(batches(queue));
    warmUp(one);
    // The same consumer at a queue of its own, so that the test says who gets which order.
    database.executeAsOwner("DELETE FROM semel.consumers");
    WorkerProcess two = start(batches(descending));
    for (String key : keys("two", WARM)) {
      publishPrepared(List.of(to(descending, key)));
      two.awaitLine("SETTLED " + key + " Applied.*");
    }
    for (int round = 0; round < ROUNDS; round++) {
      claimTogether(round, one, two);
    }
    Seen.awaitSettled(ROUNDS * (2 * KEYS + 2) + 2 * WARM, one, two);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(ROUNDS * (KEYS + 2) + 2 * WARM);
    assertThat(ledger.parked()).isZero();
    assertThat(Seen.inServerLog(postgres, database, "40P01")).isEmpty();
    assertThat(Seen.count("FAILED .*", one, two)).isZero();
    assertThat(Seen.count("AWAY .*", one, two)).isZero();
    assertThat(Seen.count("SETTLED .* Duplicate.*", one, two)).isEqualTo(ROUNDS * KEYS);
    // They were at it at one moment, each in one batch.
    assertThat(Seen.count("INFLIGHT .*", one, two)).isGreaterThanOrEqualTo(ROUNDS * KEYS);
    assertThat(Seen.count("SETTLED .* batch=" + KEYS, one, two))
        .isGreaterThanOrEqualTo(ROUNDS * KEYS);
  }

  private WorkerSpec batches(String from) {
    return WorkerSpec.of(kind, database, vhost, from, history)
        .lanes(1)
        .batch(KEYS)
        .prefetch(2 * KEYS);
  }

  /**
   * Each worker is stopped in a claim of one other message until its 200 are there. Then both claim
   * them, while a third session holds the key in the middle: who takes one key after the other gets
   * as far as there, from its own end.
   */
  private void claimTogether(int round, WorkerProcess... workers) throws IOException, SQLException {
    List<String> up = keys("r" + round, KEYS);
    List<String> down = new ArrayList<>(up);
    Collections.reverse(down);
    long before = Seen.count("INFLIGHT .*", workers);
    try (Connection start = database.superConnection();
        Connection middle = database.superConnection();
        Statement startNow = start.createStatement();
        Statement hold = middle.createStatement()) {
      start.setAutoCommit(false);
      middle.setAutoCommit(false);
      startNow.execute("LOCK TABLE semel.slots IN ACCESS EXCLUSIVE MODE");
      hold.execute(
          "INSERT INTO semel.processed_messages_0 VALUES ('%s', '%s', '')"
              .formatted(CONSUMER, up.get(KEYS / 2)));
      publishPrepared(List.of(to(queue, "one" + round), to(descending, "two" + round)));
      Await.until("both wait to start", DEADLINE, () -> waiting() == 2);
      publishPrepared(
          Stream.concat(
                  up.stream().map(k -> to(queue, k)), down.stream().map(k -> to(descending, k)))
              .toList());
      Await.until(
          "both queues are delivered",
          DEADLINE,
          () -> vhost.readyCount(queue) == 0 && vhost.readyCount(descending) == 0);
      start.commit();
      Await.until(
          "both are in their claim",
          DEADLINE,
          () -> waiting() + (Seen.count("INFLIGHT .*", workers) > before ? 1 : 0) == 2);
      middle.rollback();
    }
    awaitQueueEmpty();
    Await.until(
        "the other queue is empty",
        DEADLINE,
        () -> broker.messageCount(vhost.name(), descending) == 0);
  }

  private long waiting() throws SQLException {
    return database.queryLong("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted");
  }

  private TestVhost.Publication to(String where, String key) {
    TestVhost.Publication p = publication(key, "ok");
    return new TestVhost.Publication("", where, p.properties(), p.body());
  }
}
