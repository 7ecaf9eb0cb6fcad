package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The key that is stored: as the producer wrote it, or a digest, or none at all. */
class IdentityTest {

  private static final int ROUNDS = 20_000;

  private static String stored(String id) {
    return Identity.messageId().keyOf(Message.builder().id(id).build());
  }

  private static void unusable(String id, String why) {
    assertThatThrownBy(() -> stored(id))
        .isInstanceOf(BadIdentityException.class)
        .hasMessageContaining(why);
  }

  @Test
  void keepsWhatCanBeKept() {
    for (String id :
        new String[] {"a", " a ", "A", "á", "a\u0301", "\ud83d\ude00", "a\tb", "null"}) {
      assertThat(stored(id)).isEqualTo(id);
    }
  }

  @Test
  void takesADigestFromTheFirstByteThatIsTooMany() {
    assertThat(stored("x".repeat(Identity.MAX_KEY_BYTES))).isEqualTo("x".repeat(200));
    assertThat(stored("x".repeat(201))).matches("sha256:[0-9a-f]{64}");
    assertThat(stored("é".repeat(100))).as("200 bytes").isEqualTo("é".repeat(100));
    assertThat(stored("é".repeat(100) + "x")).startsWith("sha256:");
    assertThat(stored("\ud83d\ude00".repeat(50))).hasSize(100);
    assertThat(stored("\ud83d\ude00".repeat(51))).startsWith("sha256:");
    // echo -n of 201 x | sha256sum
    assertThat(stored("x".repeat(201)))
        .isEqualTo(
            "sha256:"
                + hex(Identity.digest().digest("x".repeat(201).getBytes(StandardCharsets.UTF_8))));
  }

  @Test
  void nobodyCanWriteAnothersDigest() {
    String digest = stored("x".repeat(201));
    assertThat(stored(digest)).startsWith("sha256:").isNotEqualTo(digest);
    assertThat(stored("sha256:")).startsWith("sha256:").hasSize(digest.length());
    assertThat(stored("SHA256:x")).isEqualTo("SHA256:x");
  }

  @Test
  void neverMakesAKeyUp() {
    unusable(null, "message-id is missing");
    unusable("", "message-id is blank");
    unusable(" \t\n\u2003", "message-id is blank");
    unusable("a\0b", "NUL");
    unusable("a\uFFFDb", "not UTF-8");
    unusable("a\ud800", "not UTF-8");
    unusable("\udc00\ud800", "not UTF-8");
    unusable("x".repeat(300) + "\0", "NUL");
    unusable("x".repeat(300) + "\ud800", "not UTF-8");
  }

  @Test
  void anExtractorThatFailsOrFindsNothingGivesNoKey() {
    Message message = Message.builder().body("{}").build();
    assertThatThrownBy(
            () ->
                Identity.key(
                        m -> {
                          throw new java.io.IOException("cut JSON");
                        })
                    .keyOf(message))
        .isInstanceOf(BadIdentityException.class)
        .hasMessage("key extractor failed: java.io.IOException: cut JSON")
        .hasRootCauseMessage("cut JSON");
    assertThatThrownBy(() -> Identity.key(m -> null).keyOf(message))
        .hasMessage("no id: key is missing");
    assertThatThrownBy(() -> Identity.header("order").keyOf(message))
        .hasMessage("no id: header order is missing");
    assertThat(Identity.key(Message::text).keyOf(message)).isEqualTo("{}");
  }

  @Test
  void aBodyHashKeepsTypeAndBodyApart() {
    assertThat(byBody("a", "bc")).isNotEqualTo(byBody("ab", "c"));
    assertThat(byBody(null, "abc")).isNotEqualTo(byBody("a", "bc")).isNotEqualTo(byBody("", "abc"));
    assertThat(byBody("1:a", "")).isNotEqualTo(byBody("a", ""));
    assertThat(byBody(null, "")).as("an empty body is a body").hasSize(64);
    assertThat(byBody("t", "b")).isEqualTo(byBody("t", "b"));
    assertThat(Identity.bodyHashAsLastResort().isLastResort()).isTrue();
    assertThat(Identity.messageId().isLastResort()).isFalse();
    assertThat(Identity.header("h").isLastResort()).isFalse();
    assertThat(Identity.key(Message::id).isLastResort()).isFalse();
  }

  private static String byBody(String type, String body) {
    return Identity.bodyHashAsLastResort()
        .keyOf(Message.builder().id("ignored").type(type).body(body).build());
  }

  /**
   * Any text at all has a key or a reason; two texts have one key only if they are equal; every key
   * fits the column and is a key that PostgreSQL can hold.
   */
  @Test
  void differentTextsNeverShareAKey() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("IdentityTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    Map<String, String> textOfKey = new HashMap<>();
    int usable = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String text = text(random);
      String key;
      try {
        key = stored(text);
      } catch (BadIdentityException e) {
        assertThat(text.isBlank() || text.matches("(?s).*[\0\uFFFD].*") || !roundTrips(text))
            .as("seed %d: refused %s", seed, e.getMessage())
            .isTrue();
        continue;
      }
      usable++;
      assertThat(key.getBytes(StandardCharsets.UTF_8).length)
          .as("seed %d", seed)
          .isLessThanOrEqualTo(200);
      assertThat(roundTrips(key) && !key.isBlank() && key.indexOf('\0') < 0)
          .as("seed %d", seed)
          .isTrue();
      assertThat(stored(text)).as("seed %d", seed).isEqualTo(key);
      String other = textOfKey.put(key, text);
      assertThat(other == null || other.equals(text)).as("seed %d: %s", seed, key).isTrue();
    }
    assertThat(usable)
        .as("seed %d: the test has something to judge", seed)
        .isGreaterThan(ROUNDS / 10);
  }

  private static boolean roundTrips(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text);
  }

  /** Short and long, from an alphabet in which near misses are likely. */
  private static String text(Random random) {
    String[] alphabet = {
      "a",
      "A",
      " ",
      "é",
      "e\u0301",
      "\ud83d\ude00",
      "\0",
      "\uFFFD",
      "\ud800",
      "\udc00",
      "sha256:",
      ":",
      "\n"
    };
    int harmless = random.nextInt(3) == 0 ? alphabet.length : 6;
    int length = random.nextInt(4) == 0 ? 150 + random.nextInt(200) : random.nextInt(6);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(alphabet[random.nextInt(harmless)]);
    }
    return text.toString();
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }
}
