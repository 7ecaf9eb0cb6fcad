package dev.semel.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The column {@code headers} of the outbox: JSON that a person writes by hand. Texts, booleans,
 * null, lists and objects are what they look like, a whole number is a long, any other number a
 * double. A value of another type is {@code {"t": type, "v": text}}, as in {@link Envelope}.
 */
final class OutgoingHeaders {

  private static final int DEEPEST = 30;

  private OutgoingHeaders() {}

  static String write(Map<String, ?> headers) {
    StringBuilder json = new StringBuilder();
    table(json, headers);
    return json.toString();
  }

  private static void table(StringBuilder json, Map<?, ?> map) {
    json.append('{');
    String separator = "";
    for (Map.Entry<?, ?> e : map.entrySet()) {
      json.append(separator);
      separator = ",";
      Envelope.quote(json, String.valueOf(e.getKey()));
      json.append(':');
      value(json, e.getValue());
    }
    json.append('}');
  }

  private static void value(StringBuilder json, @Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      json.append(value);
    } else if (value instanceof String text) {
      Envelope.quote(json, text);
    } else if (value instanceof Map<?, ?> map && !map.containsKey("t")) {
      table(json, map);
    } else if (value instanceof List<?> list) {
      json.append('[');
      for (int i = 0; i < list.size(); i++) {
        if (i > 0) {
          json.append(',');
        }
        value(json, list.get(i));
      }
      json.append(']');
    } else {
      Envelope.typed(json, value);
    }
  }

  /**
   * Reads what {@link #write} or a person wrote.
   *
   * @throws IllegalArgumentException if it is no object of JSON, or names a type that there is not
   */
  static Map<String, @Nullable Object> read(String json) {
    Reader reader = new Reader(json);
    Object all = reader.whole();
    if (!(all instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("headers are no JSON object");
    }
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    map.forEach((name, value) -> headers.put((String) name, meant(value)));
    return headers;
  }

  private static @Nullable Object meant(@Nullable Object value) {
    if (value instanceof List<?> list) {
      List<@Nullable Object> all = new ArrayList<>(list.size());
      list.forEach(each -> all.add(meant(each)));
      return all;
    }
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    if (map.size() == 2 && map.get("t") instanceof String type && map.containsKey("v")) {
      return map.get("v") instanceof String text
          ? EnvelopeReader.scalar(type, text)
          : meant(map.get("v"));
    }
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    map.forEach((name, each) -> all.put((String) name, meant(each)));
    return all;
  }

  /** Reads JSON that PostgreSQL has checked; anything else is refused. */
  private static final class Reader {

    private final String json;
    private int at;

    Reader(String json) {
      this.json = json;
    }

    @Nullable Object whole() {
      try {
        Object value = value(0);
        skip();
        if (at < json.length()) {
          throw unexpected();
        }
        return value;
      } catch (IndexOutOfBoundsException e) {
        throw new IllegalArgumentException("headers end too soon", e);
      }
    }

    private @Nullable Object value(int depth) {
      if (depth > DEEPEST) {
        throw new IllegalArgumentException("headers are nested deeper than " + DEEPEST);
      }
      skip();
      char c = json.charAt(at);
      return switch (c) {
        case '{' -> object(depth);
        case '[' -> array(depth);
        case '"' -> text();
        case 't' -> literal("true", Boolean.TRUE);
        case 'f' -> literal("false", Boolean.FALSE);
        case 'n' -> literal("null", null);
        default -> number();
      };
    }

    private Map<String, @Nullable Object> object(int depth) {
      Map<String, @Nullable Object> all = new LinkedHashMap<>();
      at++;
      if (ends('}')) {
        return all;
      }
      do {
        skip();
        String name = text();
        skip();
        expect(':');
        all.put(name, value(depth + 1));
      } while (more('}'));
      return all;
    }

    private List<@Nullable Object> array(int depth) {
      List<@Nullable Object> all = new ArrayList<>();
      at++;
      if (ends(']')) {
        return all;
      }
      do {
        all.add(value(depth + 1));
      } while (more(']'));
      return all;
    }

    private boolean ends(char end) {
      skip();
      if (json.charAt(at) == end) {
        at++;
        return true;
      }
      return false;
    }

    private boolean more(char end) {
      if (ends(end)) {
        return false;
      }
      expect(',');
      return true;
    }

    private @Nullable Object literal(String text, @Nullable Object value) {
      if (!json.startsWith(text, at)) {
        throw unexpected();
      }
      at += text.length();
      return value;
    }

    private Object number() {
      int from = at;
      while (at < json.length() && "+-.eE0123456789".indexOf(json.charAt(at)) >= 0) {
        at++;
      }
      String text = json.substring(from, at);
      try {
        return text.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(text) : Double.valueOf(text);
      } catch (NumberFormatException e) {
        throw unexpected();
      }
    }

    private String text() {
      expect('"');
      StringBuilder text = new StringBuilder();
      for (char c = json.charAt(at++); c != '"'; c = json.charAt(at++)) {
        text.append(c == '\\' ? escaped() : c);
      }
      return text.toString();
    }

    private char escaped() {
      char c = json.charAt(at++);
      return switch (c) {
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'u' -> (char) Integer.parseInt(json, (at += 4) - 4, at, 16);
        default -> c;
      };
    }

    private void skip() {
      while (at < json.length() && json.charAt(at) <= ' ') {
        at++;
      }
    }

    private void expect(char wanted) {
      if (json.charAt(at) != wanted) {
        throw unexpected();
      }
      at++;
    }

    private IllegalArgumentException unexpected() {
      return new IllegalArgumentException("headers cannot be read at position " + at);
    }
  }
}
