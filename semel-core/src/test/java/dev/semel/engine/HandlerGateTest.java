package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a row of failures is nobody's own, and who may try meanwhile. */
class HandlerGateTest {

  private static final long SECONDS = 10;
  private static final String STATE = "23505";

  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final HandlerGate gate =
      new HandlerGate(
          "payments",
          new Outages(
              new Listener() {
                @Override
                public void outageBegan(Outage outage) {
                  told.add("began " + outage.kind());
                }

                @Override
                public void outageEnded(Outage outage, Duration lasted) {
                  told.add("ended " + outage.kind());
                }
              }));

  private void close() {
    for (int i = 1; i <= 4; i++) {
      assertThat(gate.failed("k-" + i, STATE)).isEmpty();
      assertThat(gate.closed()).isFalse();
    }
    assertThat(gate.failed("k-5", STATE))
        .containsExactlyInAnyOrder("k-1", "k-2", "k-3", "k-4", "k-5");
    assertThat(gate.closed()).isTrue();
  }

  @Test
  void fiveDifferentMessagesInARowCloseItAndASuccessOpensIt() {
    close();
    assertThat(told).containsExactly("began HANDLER_ENVIRONMENT");
    gate.applied();
    assertThat(gate.closed()).isFalse();
    assertThat(told).containsExactly("began HANDLER_ENVIRONMENT", "ended HANDLER_ENVIRONMENT");
    close();
  }

  @Test
  void oneMessageManyTimesOtherErrorsAndSuccessesDoNotCloseIt() {
    for (int i = 0; i < 20; i++) {
      assertThat(gate.failed("same", STATE)).isEmpty();
      assertThat(gate.failed("no-sql-" + i, null)).isEmpty();
    }
    for (int i = 0; i < 20; i++) {
      gate.failed("k-" + i, i % 4 == 0 ? "22001" : STATE);
    }
    gate.applied();
    for (int i = 0; i < 20; i++) {
      gate.failed("k-" + i, STATE);
      if (i % 4 == 3) {
        gate.applied();
      }
    }
    assertThat(gate.closed()).isFalse();
    assertThat(told).isEmpty();
  }

  @Test
  void aFailureOfAnotherKindOpensIt() {
    close();
    assertThat(gate.failed("k-6", "22001")).isEmpty();
    assertThat(gate.closed()).isFalse();
  }

  /**
   * The lane with the poison has tried; now it is the turn of the other, who may hold a good one.
   */
  @Test
  void lanesTakeTurns() throws InterruptedException {
    close();
    gate.pass("first", () -> false);
    Passing second = new Passing("second");
    second.awaitWaiting();
    assertThat(second.passed()).as("one at a time").isFalse();
    gate.failed("k-6", STATE);
    gate.passed("first");
    Passing again = new Passing("first");
    second.awaitPassed();
    assertThat(again.passed()).isFalse();
    gate.applied();
    again.awaitPassed();
  }

  /** Its try came to nothing (a duplicate, a dead delivery), and it has no other message. */
  @Test
  void aLaneWithoutMoreToDoDoesNotKeepTheTurn() throws InterruptedException {
    close();
    gate.pass("first", () -> false);
    gate.passed("first");
    new Passing("second").awaitPassed();
  }

  @Test
  void nobodyWaitsWhoIsToStop() throws InterruptedException {
    close();
    gate.pass("second", () -> true);
    assertThat(gate.closed()).isTrue();
  }

  /** A lane's thread at the gate. */
  private final class Passing {

    private final CountDownLatch through = new CountDownLatch(1);
    private final Thread thread;

    Passing(String lane) {
      thread =
          new Thread(
              () -> {
                try {
                  gate.pass(lane, () -> false);
                  through.countDown();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              },
              lane);
      thread.setDaemon(true);
      thread.start();
    }

    boolean passed() {
      return through.getCount() == 0;
    }

    void awaitWaiting() {
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
    }

    void awaitPassed() throws InterruptedException {
      assertThat(through.await(SECONDS, TimeUnit.SECONDS)).as(thread.getName()).isTrue();
    }
  }
}
