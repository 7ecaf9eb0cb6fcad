package dev.semel.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A value of a header with its type, as text and as JSON. */
final class HeaderView {

  private HeaderView() {}

  /** The name that AMQP's users know. */
  static String type(@Nullable Object value) {
    if (value == null) {
      return "null";
    } else if (value instanceof byte[]) {
      return "bytes";
    } else if (value instanceof List) {
      return "list";
    } else if (value instanceof Map) {
      return "table";
    } else if (value instanceof Instant) {
      return "timestamp";
    } else if (value instanceof BigDecimal) {
      return "decimal";
    } else if (value instanceof Integer) {
      return "int";
    }
    return value.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }

  static String text(@Nullable Object value) {
    if (value == null) {
      return "";
    } else if (value instanceof byte[] bytes) {
      return "base64 " + Base64.getEncoder().encodeToString(bytes);
    } else if (value instanceof List<?> list) {
      return list.stream().map(HeaderView::typed).collect(Collectors.joining(", ", "[", "]"));
    } else if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> quoted(String.valueOf(e.getKey())) + ": " + typed(e.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return value instanceof String text ? quoted(text) : Visible.of(value.toString());
  }

  private static String typed(@Nullable Object value) {
    return (type(value) + " " + text(value)).strip();
  }

  private static String quoted(String text) {
    return '"' + Visible.of(text).replace("\"", "\\\"") + '"';
  }

  static ObjectNode json(@Nullable Object value) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("type", type(value));
    node.set("value", valueOf(value));
    return node;
  }

  /** Bytes in Base64; decimals as text, whose trailing zeros a number would lose. */
  private static JsonNode valueOf(@Nullable Object value) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (value == null) {
      return nodes.nullNode();
    } else if (value instanceof Boolean bool) {
      return nodes.booleanNode(bool);
    } else if (value instanceof byte[] bytes) {
      return nodes.textNode(Base64.getEncoder().encodeToString(bytes));
    } else if (value instanceof List<?> list) {
      ArrayNode array = nodes.arrayNode();
      list.forEach(each -> array.add(json(each)));
      return array;
    } else if (value instanceof Map<?, ?> map) {
      ObjectNode table = nodes.objectNode();
      map.forEach((name, each) -> table.set(String.valueOf(name), json(each)));
      return table;
    } else if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      return nodes.numberNode(((Number) value).longValue());
    } else if (value instanceof Byte number) {
      return nodes.numberNode(number);
    } else if (value instanceof Double number) {
      return nodes.numberNode(number);
    } else if (value instanceof Float number) {
      return nodes.numberNode(number);
    }
    return nodes.textNode(value.toString());
  }
}
