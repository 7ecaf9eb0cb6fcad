package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

  @Test
  void checksAgainAfterFalseAndAfterAThrow() {
    AtomicInteger calls = new AtomicInteger();
    Await.until(
        "the third call",
        Duration.ofSeconds(5),
        () -> {
          if (calls.incrementAndGet() == 1) {
            throw new IllegalStateException("not yet");
          }
          return calls.get() == 3;
        });
    assertThat(calls).hasValue(3);
  }

  @Test
  void failsWithWhatItWaitedForAndTheLastThrow() {
    IllegalStateException cause = new IllegalStateException("still not");
    assertThatThrownBy(
            () ->
                Await.until(
                    "a miracle",
                    Duration.ZERO,
                    () -> {
                      throw cause;
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a miracle")
        .hasMessageContaining("still not")
        .hasCause(cause);
  }

  @Test
  void failsWithTheLastValue() {
    assertThatThrownBy(
            () -> Await.value("more than three", Duration.ofMillis(30), () -> 3, n -> n > 3))
        .hasMessageContaining("was 3");
    assertThat(Await.<String>value("a value", Duration.ZERO, () -> "here")).isEqualTo("here");
  }

  @Test
  void leavesTheInterruptFlagSet() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Await.until("never", Duration.ofSeconds(5), () -> false))
        .isInstanceOf(IllegalStateException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
