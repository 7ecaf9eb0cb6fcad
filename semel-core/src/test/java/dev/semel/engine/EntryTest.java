package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Consumer;
import dev.semel.Identity;
import dev.semel.KeyExtractor;
import dev.semel.Message;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user's extractor does wrong makes the message unusable, never the lane. */
class EntryTest {

  private static final Message MESSAGE = Message.builder().id("k").build();

  static Stream<KeyExtractor> broken() {
    return Stream.of(
        m -> {
          throw new IllegalArgumentException("cut");
        },
        m -> {
          throw new StackOverflowError();
        },
        m -> {
          throw new NoClassDefFoundError("json");
        },
        m -> "a\0b");
  }

  @ParameterizedTest
  @MethodSource("broken")
  void aBrokenExtractorMakesTheMessageUnusable(KeyExtractor extractor) {
    Consumer byKey = Consumer.named("c").identity(Identity.key(extractor)).build();
    Consumer byOrder = Consumer.named("c").orderingKey(extractor).build();
    assertThat(Entry.of(byKey, MESSAGE, null))
        .satisfies(
            e -> {
              assertThat(e.key).isNull();
              assertThat(e.badReason).isNotBlank();
            });
    assertThat(Entry.of(byOrder, MESSAGE, null))
        .satisfies(
            e -> {
              assertThat(e.key).isNull();
              assertThat(e.badReason).contains("ordering key");
            });
  }
}
