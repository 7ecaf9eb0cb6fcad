package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One text for each logical value, whatever type the producer's library chose. */
class HeaderTextTest {

  private static void allAre(String text, Object... values) {
    for (Object value : values) {
      assertThat(HeaderText.of(value)).as("%s %s", value.getClass(), value).isEqualTo(text);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void nothingIsNothing() {
    assertThat(HeaderText.of(null)).isNull();
    assertThat(Message.builder().header("h", null).build().headerText("h")).isNull();
    assertThat(Message.builder().header("h", 1).build().headerText("H")).isNull();
  }

  @Test
  void numbersAreTheirDecimals() {
    allAre(
        "42", "42", utf8("42"), (byte) 42, (short) 42, 42, 42L, 42f, 42d, new BigDecimal("42.00"));
    allAre("-1", -1, -1L, -1d, new BigDecimal("-1.0"));
    allAre("0", 0, 0L, 0d, -0.0d, -0.0f, new BigDecimal("0.000"), new BigDecimal("0E+3"));
    allAre("0.1", 0.1d, 0.1f, new BigDecimal("0.10"));
    allAre("1000000", 1_000_000, 1e6d, new BigDecimal("1E+6"));
    allAre("9007199254740993", 9_007_199_254_740_993L, new BigDecimal("9007199254740993"));
    allAre("9223372036854775807", Long.MAX_VALUE, new BigInteger("9223372036854775807"));
    allAre("NaN", Double.NaN, Float.NaN);
    allAre("-Infinity", Double.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY);
  }

  @Test
  void otherScalars() {
    allAre("true", "true", true, utf8("true"));
    allAre("2024-02-29T12:00:00Z", Instant.parse("2024-02-29T12:00:00Z"));
    allAre("a\uFFFD", (Object) new byte[] {'a', (byte) 0xff});
    allAre("", "", utf8(""));
  }

  @Test
  void listsAndMapsAreJsonWithSortedNames() {
    allAre("[]", List.of());
    allAre("{}", Map.of());
    allAre(
        "[1,\"1\",true,\"true\",null,[2.5],\"a\"]",
        Arrays.asList(1L, "1", true, "true", null, List.of(2.5d), utf8("a")));
    Map<String, Object> oneOrder = new LinkedHashMap<>();
    oneOrder.put("b", 2);
    oneOrder.put("a", List.of());
    Map<String, Object> otherOrder = new LinkedHashMap<>();
    otherOrder.put("a", new ArrayList<>());
    otherOrder.put("b", 2.0d);
    allAre("{\"a\":[],\"b\":2}", oneOrder, otherOrder);
    allAre("[\"a\\\"b\\\\\"]", List.of("a\"b\\"));
    allAre("[\"2024-02-29T12:00:00Z\"]", List.of(Instant.parse("2024-02-29T12:00:00Z")));
  }

  /** The same number as each type that can hold it. */
  @Test
  void theTypeOfANumberDoesNotShow() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("HeaderTextTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 5_000; round++) {
      long number = random.nextLong() >> random.nextInt(64);
      String text = Long.toString(number);
      allAre(
          text, text, number, BigDecimal.valueOf(number), BigDecimal.valueOf(number).setScale(3));
      if (number == (int) number) {
        allAre(text, (int) number, (double) number);
      }
      if (number == (short) number) {
        allAre(text, (short) number, (float) number);
      }
    }
  }

  /** Structures that differ have texts that differ; quoting keeps names, texts and commas apart. */
  @Test
  void differentStructuresNeverShareAText() {
    long seed = Long.getLong("semel.seed", System.nanoTime());
    System.out.println("HeaderTextTest: -Dsemel.seed=" + seed);
    Random random = new Random(seed);
    Map<String, Object> seen = new LinkedHashMap<>();
    for (int round = 0; round < 20_000; round++) {
      Object structure = structure(random, 3);
      String text = String.valueOf(HeaderText.of(List.of(structure)));
      Object other = seen.put(text, structure);
      assertThat(other == null || other.equals(structure))
          .as("seed %d: %s and %s are both %s", seed, other, structure, text)
          .isTrue();
    }
    assertThat(seen.size()).isGreaterThan(1_000);
  }

  /** Long, Boolean and String only, so that equal means equal. */
  private static Object structure(Random random, int depth) {
    String[] texts = {"", "a", "\"", "\\", ",", "],[", "\":\"", "null", "true", "1", "{}", "é"};
    return switch (depth == 0 ? random.nextInt(3) : random.nextInt(5)) {
      case 0 -> (long) random.nextInt(3);
      case 1 -> random.nextBoolean();
      case 2 -> texts[random.nextInt(texts.length)] + texts[random.nextInt(texts.length)];
      case 3 -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          list.add(structure(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          map.put(texts[random.nextInt(texts.length)], structure(random, depth - 1));
        }
        yield map;
      }
    };
  }
}
