package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LineTest {
  private static final String HARD = "\t\n\r\0\\tn0u\uD83D\uDE00\u00e9\uFFFD\u2028d8";

  @Test
  void anyTextComesBackAsItWas() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("LineTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      Recorded recorded =
          new Recorded(
              "f",
              1 + random.nextInt(1000),
              random.nextLong(),
              Event.values()[random.nextInt(Event.values().length)],
              text(random),
              text(random),
              text(random));
      String line = new String(Line.encode(recorded), StandardCharsets.UTF_8);

      assertThat(line.indexOf('\n')).as("seed %d", seed).isEqualTo(line.length() - 1);
      assertThat(line.chars().filter(c -> c == '\t')).as("seed %d", seed).hasSize(6);
      assertThat(line).as("seed %d", seed).doesNotContain("\0");
      assertThat(Line.decode("f", line.substring(0, line.length() - 1)))
          .as("seed %d", seed)
          .isEqualTo(recorded);
    }
  }

  /** Half of the characters are those that hurt; halves of surrogate pairs come by chance. */
  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(12); left > 0; left--) {
      text.append(
          random.nextBoolean()
              ? HARD.charAt(random.nextInt(HARD.length()))
              : (char) random.nextInt(Character.MAX_VALUE + 1));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2\t1\t1\tENTERED\tc\tk\t",
        "1\t1\t1\tENTERED\tc\tk",
        "1\t1\t1\tENTERED\tc\tk\td\te",
        "1\tx\t1\tENTERED\tc\tk\t",
        "1\t1\tx\tENTERED\tc\tk\t",
        "1\t1\t1\tLEFT\tc\tk\t",
        "1\t1\t1\tENTERED\tc\tk\\\t",
        "1\t1\t1\tENTERED\tc\tk\\x\t",
        "1\t1\t1\tENTERED\tc\t\\ud8\t",
        "1\t1\t1\tENTERED\tc\t\\uzzzz\t",
      })
  void whatNoRecorderWritesIsRefused(String line) {
    assertThatIllegalArgumentException().isThrownBy(() -> Line.decode("f", line));
  }
}
