package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // and over the edge
  private final Backoff backoff = new Backoff(now::get);

  @Test
  void doublesUpToTheLongest() {
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      backoff.failed();
      pauses.add(Duration.ofNanos(backoff.nanosLeft()).toMillis());
      now.addAndGet(backoff.nanosLeft());
      assertThat(backoff.isDue()).isTrue();
    }
    assertThat(pauses).containsExactly(200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
  }

  @Test
  void isDueAtFirstAndAfterASuccess() {
    assertThat(backoff.isDue()).isTrue();
    backoff.failed();
    assertThat(backoff.isDue()).isFalse();
    backoff.succeeded();
    assertThat(backoff.isDue()).isTrue();
  }

  @Test
  void onlyASuccessThatLastedForgetsTheFailures() {
    backoff.failed();
    backoff.failed();
    backoff.succeeded();
    now.addAndGet(Backoff.LONGEST.toNanos() - 1);
    backoff.failed();
    assertThat(Duration.ofNanos(backoff.nanosLeft()).toMillis()).isEqualTo(800);
    backoff.succeeded();
    now.addAndGet(Backoff.LONGEST.toNanos());
    backoff.failed();
    assertThat(Duration.ofNanos(backoff.nanosLeft())).isEqualTo(Backoff.FIRST);
  }
}
