package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Message;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Parking.Done;
import dev.semel.Parking.Result;
import dev.semel.RetryPolicy;
import dev.semel.Selection;
import dev.semel.Tx;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Two operators replay and discard at random while the producer sends copies and two lanes run what
 * fails most of the time. Right: of each message one effect, or one discard, never both and never
 * neither; books and audit agree with what the operators were told.
 */
class ParkingRaceTest extends ParkingScene {

  private static final int MESSAGES = 60;
  private static final int DISCARDS = 20;

  private final Map<Result, AtomicInteger> told = new EnumMap<>(Result.class);
  private final AtomicInteger discarded = new AtomicInteger();
  private final Map<String, Boolean> inside = new ConcurrentHashMap<>();
  private final AtomicInteger overlaps = new AtomicInteger();

  ParkingRaceTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
    for (Result each : Result.values()) {
      told.put(each, new AtomicInteger());
    }
  }

  private void flaky(Message message, Tx tx) throws Exception {
    if (inside.put(message.id(), true) != null) {
      overlaps.incrementAndGet();
    }
    try {
      Ledger.apply(message, tx);
      int run = runs.size();
      runs.add(message);
      if (broken && run % 20 != 0) {
        throw new IllegalStateException("told to fail");
      }
    } finally {
      inside.remove(message.id());
    }
  }

  @Test
  void eachMessageIsAppliedOrDiscarded() throws Exception {
    broken = true;
    startWorker(
        consumer()
            .handler(this::flaky)
            .retry(
                RetryPolicy.builder()
                    .attempts(3)
                    .firstPause(Duration.ofMillis(10))
                    .cap(Duration.ofMillis(50))
                    .build()));
    List<String> keys = keys("k", MESSAGES);
    ExecutorService operators = Executors.newFixedThreadPool(2);
    List<Future<?>> working = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(i);
      working.add(operators.submit(() -> operate(random)));
    }
    try {
      for (int copy = 0; copy < 3; copy++) {
        publishAll(keys, "x");
      }
      awaitTrue("enough is discarded", () -> discarded.get() >= DISCARDS);
      publishAll(keys, "x");
    } finally {
      broken = false;
    }
    for (Future<?> each : working) {
      each.get();
    }
    operators.shutdown();
    awaitTrue(
        "all that was dead has run",
        () -> {
          count(parking.replay(Selection.any().state("dead"), Parking.Replay.PLAIN, ORDER));
          return ledger.parked() == 0 && broker.messageCount(vhost.name(), queue) == 0;
        });
    stopWorker();

    List<String> given =
        textRows(
            "SELECT substring(detail FROM 'key (k-[0-9]+),') FROM semel.audit"
                + " WHERE verb = 'parked discard' ORDER BY 1");
    List<String> applied = textRows("SELECT k FROM public.effects ORDER BY 1");
    List<String> all = new ArrayList<>(given);
    all.addAll(applied);
    assertThat(all).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(given).hasSize(discarded.get()).hasSizeGreaterThanOrEqualTo(DISCARDS);
    assertThat(overlaps).hasValue(0);
    assertThat(ledger.keys()).isEqualTo(MESSAGES);
    assertThat(audit()).hasSize(told.get(Result.REPLAYED).get() + discarded.get());
    Parking.Books books = parking.books().get(0);
    assertThat(books.offBy()).isZero();
    assertThat(books.discarded()).isEqualTo(discarded.get());
    assertThat(books.waiting() + books.dead()).isZero();
    assertThat(told.get(Result.REPLAYED).get()).isPositive();
    assertThat(told.get(Result.IN_FLIGHT).get()).as("they met").isPositive();
  }

  private void operate(Random random) {
    while (broken) {
      List<ParkedMessage> rows = parking.list(Selection.any());
      if (rows.isEmpty()) {
        continue;
      }
      Selection some =
          Selection.of(
              List.of(
                  rows.get(random.nextInt(rows.size())).id(),
                  rows.get(random.nextInt(rows.size())).id()));
      if (random.nextInt(4) == 0 && discarded.get() < DISCARDS) {
        count(parking.discard(some, ORDER));
      } else {
        count(parking.replay(some, Parking.Replay.PLAIN, ORDER));
      }
    }
  }

  private void count(List<Done> done) {
    for (Done each : done) {
      told.get(each.result()).incrementAndGet();
      if (each.result() == Result.DISCARDED) {
        discarded.incrementAndGet();
      }
    }
  }
}
