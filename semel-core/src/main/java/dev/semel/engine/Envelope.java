package dev.semel.engine;

import dev.semel.Message;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Headers and properties of a message as JSON that keeps every value exactly: a header is {@code
 * {"t": type, "v": value}}, so that a replay can send the type that the producer sent. The column
 * is of type {@code json}, which keeps an escaped NUL; {@code jsonb} would refuse it.
 */
final class Envelope {

  private Envelope() {}

  static String properties(Message message) {
    Map<String, Object> all = new LinkedHashMap<>();
    put(all, "message-id", message.id());
    put(all, "type", message.type());
    put(all, "content-type", message.contentType());
    put(all, "timestamp", message.timestamp());
    all.putAll(message.properties());
    StringBuilder json = new StringBuilder("{");
    all.forEach((name, value) -> plain(json, name, value));
    return json.append('}').toString();
  }

  static String headers(Message message) {
    StringBuilder json = new StringBuilder();
    table(json, message.headers());
    return json.toString();
  }

  /** The message again, exactly; the inverse of {@link #properties} and {@link #headers}. */
  static Message message(String properties, String headers, byte[] body) {
    Message.Builder message = Message.builder().body(body);
    EnvelopeReader.plain(properties)
        .forEach(
            (name, value) -> {
              switch (name) {
                case "message-id" -> message.id(value);
                case "type" -> message.type(value);
                case "content-type" -> message.contentType(value);
                case "timestamp" -> message.timestamp(Instant.parse(value));
                default -> message.property(name, value);
              }
            });
    EnvelopeReader.table(headers).forEach(message::header);
    return message.build();
  }

  private static void put(Map<String, Object> map, String name, @Nullable Object value) {
    if (value != null) {
      map.put(name, value);
    }
  }

  private static void plain(StringBuilder json, String name, Object value) {
    if (json.length() > 1) {
      json.append(',');
    }
    quote(json, name);
    json.append(':');
    quote(json, value.toString());
  }

  private static void table(StringBuilder json, Map<?, ?> map) {
    json.append('{');
    String separator = "";
    for (Map.Entry<?, ?> e : map.entrySet()) {
      json.append(separator);
      separator = ",";
      quote(json, String.valueOf(e.getKey()));
      json.append(':');
      typed(json, e.getValue());
    }
    json.append('}');
  }

  static void typed(StringBuilder json, @Nullable Object value) {
    json.append("{\"t\":");
    quote(json, type(value));
    json.append(",\"v\":");
    if (value == null) {
      json.append("null");
    } else if (value instanceof Map<?, ?> map) {
      table(json, map);
    } else if (value instanceof List<?> list) {
      json.append('[');
      for (int i = 0; i < list.size(); i++) {
        if (i > 0) {
          json.append(',');
        }
        typed(json, list.get(i));
      }
      json.append(']');
    } else if (value instanceof byte[] bytes) {
      quote(json, Base64.getEncoder().encodeToString(bytes));
    } else {
      // Numbers are quoted too: a reader's floating point must not round a long.
      quote(json, value.toString());
    }
    json.append('}');
  }

  private static String type(@Nullable Object value) {
    if (value == null) {
      return "null";
    } else if (value instanceof byte[]) {
      return "bytes";
    } else if (value instanceof Map) {
      return "table";
    } else if (value instanceof List) {
      return "list";
    } else if (value instanceof Instant) {
      return "time";
    } else if (value instanceof BigDecimal) {
      return "decimal";
    }
    return value.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }

  static void quote(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c) || c == '\u007f') {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
