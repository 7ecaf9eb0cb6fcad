package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.BadIdentityException;
import dev.semel.Consumer;
import dev.semel.Fingerprint;
import dev.semel.Identity;
import dev.semel.Message;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What docs/identity.md says of keys is so. */
class IdentityChoicesTest {

  private static String key(Consumer consumer, Message.Builder message) {
    return consumer.identity().keyOf(message.build());
  }

  @Test
  void eachChoiceTakesItsKey() {
    Message.Builder message =
        Message.builder().id("m-7").type("charge").header("event-id", 7).header("order-id", "o-1");
    assertThat(key(IdentityChoices.byMessageId(), message)).isEqualTo("m-7");
    assertThat(key(IdentityChoices.byHeader(), message)).isEqualTo("7");
    assertThat(key(IdentityChoices.byOrder(), message)).isEqualTo("o-1/charge");
    assertThat(key(IdentityChoices.byBody(), message)).hasSize(64);
    assertThat(IdentityChoices.byBody().identity().isLastResort()).isTrue();
  }

  @Test
  void halfAKeyIsNone() {
    Message.Builder noOrder = Message.builder().type("charge");
    assertThatThrownBy(() -> key(IdentityChoices.byOrder(), noOrder))
        .isInstanceOf(BadIdentityException.class)
        .hasMessage("no id: key is missing");
  }

  @Test
  void theTableOfCanonicalTextsIsTrue() {
    assertThat(text("7")).isEqualTo("7");
    assertThat(text(7)).isEqualTo("7");
    assertThat(text(7L)).isEqualTo("7");
    assertThat(text(7.0)).isEqualTo("7");
    assertThat(text(new BigDecimal("7.50"))).isEqualTo("7.5");
    assertThat(text(1e3)).isEqualTo("1000");
    assertThat(text(true)).isEqualTo("true");
    assertThat(text(new byte[] {'7'})).isEqualTo("7");
    assertThat(text(Instant.parse("2026-11-30T12:00:00Z"))).isEqualTo("2026-11-30T12:00:00Z");
    assertThat(text(List.of(7, "x"))).isEqualTo("[7,\"x\"]");
    assertThat(text(Map.of("b", 1, "a", true))).isEqualTo("{\"a\":true,\"b\":1}");
  }

  private static String text(Object value) {
    return Message.builder().header("h", value).build().headerText("h");
  }

  @Test
  void theTableOfBadIdsIsTrue() {
    assertThat(refusal(null)).isEqualTo("no id: message-id is missing");
    assertThat(refusal("")).isEqualTo("no id: message-id is blank");
    assertThat(refusal(" \t")).isEqualTo("no id: message-id is blank");
    assertThat(refusal("a\0b")).isEqualTo("unusable id: message-id has a NUL in it");
    assertThat(refusal("a\uFFFDb")).isEqualTo("unusable id: message-id is not UTF-8");
    String failed = "key extractor failed: java.lang.IllegalStateException: no body";
    assertThatThrownBy(
            () ->
                Identity.key(
                        m -> {
                          throw new IllegalStateException("no body");
                        })
                    .keyOf(Message.builder().build()))
        .hasMessage(failed);
  }

  private static String refusal(String id) {
    try {
      return "accepted: " + key(IdentityChoices.byMessageId(), Message.builder().id(id));
    } catch (BadIdentityException e) {
      return e.getMessage();
    }
  }

  @Test
  void longIdsBecomeDigests() {
    String longest = "x".repeat(200);
    assertThat(key(IdentityChoices.byMessageId(), Message.builder().id(longest)))
        .isEqualTo(longest);
    assertThat(key(IdentityChoices.byMessageId(), Message.builder().id(longest + "x")))
        .startsWith("sha256:")
        .hasSize(7 + 64);
    assertThat(key(IdentityChoices.byMessageId(), Message.builder().id("sha256:abc")))
        .startsWith("sha256:")
        .hasSize(7 + 64);
  }

  @Test
  void fingerprintsHaveTheSizesThatTheDocumentationTells() {
    Message message = Message.builder().id("1").body("{}").build();
    assertThat(Fingerprint.none().of(message)).hasSize(1);
    assertThat(Fingerprint.body().of(message)).hasSize(17);
    assertThat(IdentityChoices.comparingAmounts().fingerprint().of(message)).hasSize(17);
  }
}
