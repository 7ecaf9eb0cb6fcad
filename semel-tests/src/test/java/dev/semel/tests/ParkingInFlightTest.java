package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.ParkedMessage;
import dev.semel.Parking.Result;
import dev.semel.Tx;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An operator reaches for a message while somebody is at work on it, or on its key. Right: nothing
 * changes, he is told so at once, and the run has its one effect.
 */
class ParkingInFlightTest extends ParkingScene {

  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);

  ParkingInFlightTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  /** Nobody is left in a handler, also after a test that has failed. */
  @AfterEach
  void letGo() {
    leave.countDown();
  }

  private void slow(Message message, Tx tx) throws Exception {
    runs.add(message);
    Ledger.apply(message, tx);
    inside.countDown();
    leave.await();
  }

  @Test
  void aRunningRowIsLeftAlone() throws Exception {
    ParkedMessage row = dead("k", "x");
    assertThat(replay(row)).isEqualTo(Result.REPLAYED);
    startWorker(consumer().handler(this::slow));
    inside.await();
    assertThat(row(row.id()).running()).isTrue();
    List<String> before = allRows();
    assertThat(replay(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(replay(row, AGAIN)).isEqualTo(Result.IN_FLIGHT);
    assertThat(discard(row)).isEqualTo(Result.IN_FLIGHT);
    // The lease ends before a handler that takes its time; the row lock does not.
    awaitTrue(
        "the lease is over",
        () ->
            database.queryLong(
                    "SELECT count(*) FROM semel.parked_messages WHERE lease_until < clock_timestamp()")
                == 1);
    assertThat(replay(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(discard(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(allRows()).isEqualTo(before);
    leave.countDown();
    awaitQueueEmpty();
    awaitTrue("the row is gone", () -> ledger.parked() == 0);
    assertThat(runs).hasSize(2);
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(replay(row)).isEqualTo(Result.GONE);
    assertThat(discard(row)).isEqualTo(Result.GONE);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  /** Somebody else has the key locked, in the inbox. */
  @Test
  void aRowWhoseKeyIsInFlightIsLeftAlone() throws Exception {
    Message mine = Message.builder().id("k").body("mine").build();
    Thread other =
        new Thread(
            () ->
                assertThat(
                        semel
                            .inbox(CONSUMER)
                            .process(
                                mine,
                                (m, tx) -> {
                                  Ledger.apply(m, tx);
                                  inside.countDown();
                                  leave.await();
                                }))
                    .isEqualTo(new Outcome.Applied()));
    other.start();
    inside.await();
    publish("k", "theirs");
    startWorker();
    ParkedMessage row = awaitRow("reason LIKE 'in flight%'");
    stopWorker();
    List<String> before = allRows();
    assertThat(replay(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(replay(row, AS_NEW)).isEqualTo(Result.IN_FLIGHT);
    assertThat(discard(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(allRows()).isEqualTo(before);
    leave.countDown();
    other.join();

    assertThat(replay(row)).isEqualTo(Result.ALREADY_APPLIED);
    runAll();
    assertThat(runs).isEmpty();
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(ledger.parked("conflict%")).isEqualTo(1);
    assertBooks(1, 0, 0, 0, 0, 1);
  }

  /** Nobody works on it any more; to give it up no worker must be started that it would kill. */
  @Test
  void whatHasKilledItsWorkerCanBeDiscardedWithoutOne() throws Exception {
    publish("poison", "fail-once\nblock");
    WorkerProcess worker = start(worker().pauseMillis(50));
    // Once as a delivery, which fails; then from the table.
    worker.awaitLine("^FAILED poison 1 .*");
    awaitTrue("it runs from the table", () -> entered(worker) == 2);
    ParkedMessage row = awaitRow("message_id = 'poison' AND lease_token IS NOT NULL");
    worker.kill();
    awaitTrue("its session is gone", () -> database.runtimeSessions().isEmpty());
    assertThat(row(row.id()).running()).isTrue();
    assertThat(replay(row)).as("a worker must judge the death first").isEqualTo(Result.IN_FLIGHT);
    database.executeAsOwner(
        "UPDATE semel.parked_messages SET lease_until = clock_timestamp() - interval '1 s'");
    assertThat(replay(row)).isEqualTo(Result.IN_FLIGHT);
    assertThat(discard(row)).isEqualTo(Result.DISCARDED);

    publish("poison", "fail-once\nblock");
    runAll();
    assertThat(runs).isEmpty();
    assertThat(ledger.effects()).isZero();
    assertThat(ledger.parked()).isZero();
    assertBooks(1, 0, 0, 1, 0, 0);
  }

  private static long entered(WorkerProcess worker) {
    return worker.lines().stream().filter(l -> l.equals("ENTERED poison")).count();
  }
}
