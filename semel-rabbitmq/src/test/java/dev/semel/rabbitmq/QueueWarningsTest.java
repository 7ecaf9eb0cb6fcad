package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueueWarningsTest {

  private static final String NO_DEAD_LETTERS = "has no x-dead-letter-exchange";

  private static List<String> of(String version, Map<String, Object> arguments) {
    return QueueWarnings.of(
        "q", new QueueFacts(true, false, arguments, ServerVersion.parse(version)));
  }

  private static List<String> quorum(String version, Map<String, Object> others) {
    Map<String, Object> arguments = new java.util.HashMap<>(others);
    arguments.put("x-queue-type", "quorum");
    return of(version, arguments);
  }

  @Test
  void nothingAboutWhatIsFine() {
    assertThat(of("3.10.8", Map.of())).isEmpty();
    assertThat(of("4.3.6", Map.of("x-single-active-consumer", true, "x-expires", 1L))).isEmpty();
    assertThat(quorum("3.10.8", Map.of())).isEmpty();
    assertThat(quorum("4.0.5", Map.of("x-dead-letter-exchange", ""))).isEmpty();
    assertThat(quorum("4.0.5", Map.of("x-delivery-limit", -1L))).isEmpty();
    assertThat(quorum("3.10.8", Map.of("x-delivery-limit", 3L, "x-dead-letter-exchange", "dlx")))
        .isEmpty();
  }

  @Test
  void aLimitBelowWhatIsNormal() {
    assertThat(quorum("3.10.8", Map.of("x-delivery-limit", 2L, "x-dead-letter-exchange", "dlx")))
        .singleElement()
        .asString()
        .startsWith("queue 'q' has x-delivery-limit 2:")
        .endsWith("set at least 3, better 20");
  }

  @Test
  void aLimitWithoutDeadLetters() {
    assertThat(quorum("3.10.8", Map.of("x-delivery-limit", 5L)))
        .singleElement()
        .asString()
        .startsWith("queue 'q' " + NO_DEAD_LETTERS)
        .contains("after 5 returns (x-delivery-limit)");
    assertThat(quorum("3.10.8", Map.of("x-delivery-limit", 1L)))
        .hasSize(2)
        .anyMatch(line -> line.contains(NO_DEAD_LETTERS));
  }

  @Test
  void theDefaultLimitSinceFour() {
    assertThat(quorum("3.13.7", Map.of())).isEmpty();
    assertThat(quorum("4.0.0", Map.of()))
        .singleElement()
        .asString()
        .contains(NO_DEAD_LETTERS)
        .contains("after 20 returns (the default since 4.0)");
  }

  /** Seen with 3.10.8: all was gone after one return. */
  @Test
  void aNegativeLimitBeforeFour() {
    assertThat(quorum("3.10.8", Map.of("x-delivery-limit", -1L)))
        .hasSize(2)
        .anyMatch(line -> line.contains("takes a message away at its first return"))
        .anyMatch(line -> line.contains("after 0 returns"));
  }

  /** Seen with 3.10.8 and 4.0.5. */
  @Test
  void orderWithoutALimit() {
    Map<String, Object> single = Map.of("x-single-active-consumer", true);
    assertThat(quorum("3.10.8", single))
        .singleElement()
        .asString()
        .contains("out of order; set an x-delivery-limit");
    assertThat(quorum("4.2.1", Map.of("x-single-active-consumer", true, "x-delivery-limit", -1L)))
        .singleElement()
        .asString()
        .contains("out of order");
    assertThat(quorum("4.3.6", Map.of("x-single-active-consumer", true, "x-delivery-limit", -1L)))
        .isEmpty();
  }

  @Test
  void whatDoesNotLast() {
    ServerVersion version = ServerVersion.parse("3.10.8");
    assertThat(QueueWarnings.of("q", new QueueFacts(false, true, Map.of(), version)))
        .hasSize(2)
        .anyMatch(line -> line.contains("auto-delete"))
        .anyMatch(line -> line.contains("not durable"));
    assertThat(of("3.10.8", Map.of("x-queue-type", "stream")))
        .singleElement()
        .asString()
        .contains("is a stream");
  }

  @Test
  void oneLineEach() {
    QueueFacts facts =
        new QueueFacts(
            true, false, Map.of("x-queue-type", "quorum"), ServerVersion.parse("4.1.2-rc.1"));
    assertThat(QueueWarnings.of("two\nlines", facts))
        .singleElement()
        .asString()
        .doesNotContain("\n");
  }

  @Test
  void versions() {
    assertThat(ServerVersion.parse("4.3.6").atLeast(4, 3)).isTrue();
    assertThat(ServerVersion.parse("4.10.0").atLeast(4, 3)).isTrue();
    assertThat(ServerVersion.parse("5.0.0+x").atLeast(4, 3)).isTrue();
    assertThat(ServerVersion.parse("4.2.9").atLeast(4, 3)).isFalse();
    assertThat(ServerVersion.parse("newest").atLeast(0, 1)).isFalse();
    assertThat(ServerVersion.parse("3.99999999999").atLeast(0, 1)).isFalse();
  }
}
