package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is stored beside a key, and what counts as the same message. */
class FingerprintTest {

  private static final byte[] IMPORTED = {};

  private static Message message(String type, String body) {
    return Message.builder().id("k").type(type).body(body).build();
  }

  @Test
  void theDefaultIsOfTypeAndBody() {
    Fingerprint body = Fingerprint.body();
    byte[] one = body.of(message("t", "b"));
    assertThat(one).hasSize(17).startsWith(1);
    assertThat(one).isEqualTo(body.of(message("t", "b")));
    assertThat(Fingerprint.same(one, body.of(message("t", "c")))).isFalse();
    assertThat(Fingerprint.same(one, body.of(message("u", "b")))).isFalse();
    assertThat(Fingerprint.same(one, body.of(message(null, "b")))).isFalse();
    assertThat(Fingerprint.same(body.of(message("a", "bc")), body.of(message("ab", "c"))))
        .isFalse();
    Message withHeaders =
        Message.builder()
            .id("other")
            .type("t")
            .header("h", 1)
            .property("app-id", "x")
            .body("b")
            .build();
    assertThat(one).as("headers change on the way").isEqualTo(body.of(withHeaders));
  }

  @Test
  void noneComparesNothing() {
    byte[] one = Fingerprint.none().of(message("t", "b"));
    assertThat(one).containsExactly(0);
    assertThat(Fingerprint.same(one, Fingerprint.none().of(message("u", "c")))).isTrue();
    assertThat(Fingerprint.same(one, Fingerprint.body().of(message("u", "c")))).isTrue();
  }

  @Test
  void anExtractorComparesWhatItTakes() {
    Fingerprint type = Fingerprint.of(Message::type);
    byte[] one = type.of(message("t", "b"));
    assertThat(one).hasSize(17).startsWith(2);
    assertThat(Fingerprint.same(one, type.of(message("t", "c")))).isTrue();
    assertThat(Fingerprint.same(one, type.of(message("u", "b")))).isFalse();
    assertThat(type.of(message(null, "b"))).isEqualTo(type.of(message("", "b")));
    assertThatThrownBy(
            () ->
                Fingerprint.of(
                        m -> {
                          throw new IllegalStateException("no amount");
                        })
                    .of(message("t", "b")))
        .isInstanceOf(BadIdentityException.class)
        .hasMessageContaining("fingerprint extractor failed")
        .hasRootCauseMessage("no amount");
  }

  /** Honest copies of before a change of the choice, or of before an import, are no conflicts. */
  @Test
  void otherVersionsAndImportedKeysCannotBeCompared() {
    byte[] body = Fingerprint.body().of(message("t", "b"));
    byte[] extracted = Fingerprint.of(Message::type).of(message("t", "b"));
    assertThat(Fingerprint.same(body, extracted)).isTrue();
    assertThat(Fingerprint.same(body, IMPORTED)).isTrue();
    assertThat(Fingerprint.same(IMPORTED, IMPORTED)).isTrue();
    assertThat(Fingerprint.same(IMPORTED, extracted)).isTrue();
  }

  /** A change of any single bit of the body shows; the question has no direction. */
  @Test
  void anyChangeOfTheBodyShows() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("FingerprintTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    Fingerprint body = Fingerprint.body();
    for (int round = 0; round < 5_000; round++) {
      byte[] bytes = new byte[1 + random.nextInt(64)];
      random.nextBytes(bytes);
      byte[] changed = bytes.clone();
      changed[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      byte[] one = body.of(Message.builder().body(bytes).build());
      for (byte[] other : new byte[][] {changed, longer}) {
        byte[] two = body.of(Message.builder().body(other).build());
        assertThat(Fingerprint.same(one, two)).as("seed %d", seed).isFalse();
        assertThat(Fingerprint.same(two, one)).as("seed %d", seed).isFalse();
      }
      assertThat(Fingerprint.same(one, body.of(Message.builder().body(bytes).build())))
          .as("seed %d", seed)
          .isTrue();
    }
  }
}
