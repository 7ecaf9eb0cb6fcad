package dev.semel.engine;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON that {@link Envelope} writes, and no other. */
final class EnvelopeReader {

  private final String json;
  private int at;

  private EnvelopeReader(String json) {
    this.json = json;
  }

  /** Names and texts. */
  static Map<String, String> plain(String json) {
    Map<String, String> all = new LinkedHashMap<>();
    EnvelopeReader reader = new EnvelopeReader(json);
    reader.each('{', '}', () -> all.put(reader.name(), reader.text()));
    return all;
  }

  /** Names and typed values. */
  static Map<String, @Nullable Object> table(String json) {
    return new EnvelopeReader(json).table();
  }

  private Map<String, @Nullable Object> table() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    each('{', '}', () -> all.put(name(), typed()));
    return all;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> all = new ArrayList<>();
    each('[', ']', () -> all.add(typed()));
    return all;
  }

  private @Nullable Object typed() {
    expect('{');
    expectName("t");
    String type = text();
    expect(',');
    expectName("v");
    Object value = value(type);
    expect('}');
    return value;
  }

  private @Nullable Object value(String type) {
    return switch (type) {
      case "null" -> nothing();
      case "table" -> table();
      case "list" -> list();
      default -> scalar(type, text());
    };
  }

  /** The value that {@link Envelope} wrote as a text, with its type beside it. */
  static Object scalar(String type, String text) {
    return switch (type) {
      case "bytes" -> Base64.getDecoder().decode(text);
      case "boolean" -> Boolean.valueOf(text);
      case "byte" -> Byte.valueOf(text);
      case "short" -> Short.valueOf(text);
      case "integer" -> Integer.valueOf(text);
      case "long" -> Long.valueOf(text);
      case "float" -> Float.valueOf(text);
      case "double" -> Double.valueOf(text);
      case "decimal" -> new BigDecimal(text);
      case "time" -> Instant.parse(text);
      // A string; or of a message that the caller built himself: what it prints is all that was
      // kept.
      default -> text;
    };
  }

  private @Nullable Object nothing() {
    if (!json.startsWith("null", at)) {
      throw unexpected("null");
    }
    at += 4;
    return null;
  }

  private void each(char open, char close, Runnable one) {
    expect(open);
    if (json.charAt(at) == close) {
      at++;
      return;
    }
    one.run();
    while (json.charAt(at) == ',') {
      at++;
      one.run();
    }
    expect(close);
  }

  private String name() {
    String name = text();
    expect(':');
    return name;
  }

  private void expectName(String wanted) {
    if (!name().equals(wanted)) {
      throw unexpected(wanted);
    }
  }

  private String text() {
    expect('"');
    StringBuilder text = new StringBuilder();
    for (char c = json.charAt(at++); c != '"'; c = json.charAt(at++)) {
      if (c == '\\') {
        c = json.charAt(at++);
        if (c == 'u') {
          c = (char) Integer.parseInt(json, at, at + 4, 16);
          at += 4;
        }
      }
      text.append(c);
    }
    return text.toString();
  }

  private void expect(char wanted) {
    if (at >= json.length() || json.charAt(at) != wanted) {
      throw unexpected(String.valueOf(wanted));
    }
    at++;
  }

  private IllegalStateException unexpected(String wanted) {
    return new IllegalStateException(
        "an envelope of parked_messages cannot be read at " + at + ": no " + wanted);
  }
}
