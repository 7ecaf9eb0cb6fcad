package dev.semel;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The canonical text of a header value, as documented at {@link Message#headerText}. */
final class HeaderText {

  private HeaderText() {}

  static @Nullable String of(@Nullable Object value) {
    return value == null ? null : scalar(value);
  }

  private static String scalar(Object value) {
    if (value instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    if (value instanceof Number number) {
      return number(number);
    }
    if (value instanceof List<?> || value instanceof Map<?, ?>) {
      return json(value);
    }
    return value.toString();
  }

  private static String number(Number number) {
    if (number instanceof Double || number instanceof Float) {
      double d = number.doubleValue();
      if (Double.isNaN(d) || Double.isInfinite(d)) {
        return number.toString();
      }
    }
    // The text of a Float is the shortest that names it; going through double would add digits.
    BigDecimal decimal = new BigDecimal(number.toString());
    return decimal.signum() == 0 ? "0" : decimal.stripTrailingZeros().toPlainString();
  }

  private static String json(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof List<?> list) {
      return list.stream().map(HeaderText::json).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> sorted = new TreeMap<>();
      map.forEach((k, v) -> sorted.put(String.valueOf(k), v));
      return sorted.entrySet().stream()
          .map(e -> quoted(e.getKey()) + ":" + json(e.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    return value instanceof Number || value instanceof Boolean
        ? scalar(value)
        : quoted(scalar(value));
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
