package dev.semel.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Collectors;

/** JSON for programs, in ASCII, so that no terminal and no pipe spoils it. */
final class Json {

  private Json() {}

  /** An array with one line for each element. */
  static String array(List<? extends JsonNode> elements) {
    return elements.isEmpty()
        ? "[]"
        : elements.stream().map(Json::text).collect(Collectors.joining(",\n ", "[", "]"));
  }

  static String text(JsonNode node) {
    StringBuilder text = new StringBuilder();
    // What is not ASCII can only stand inside of strings.
    node.toString()
        .chars()
        .forEach(
            c -> {
              if (c < 127) {
                text.append((char) c);
              } else {
                text.append(String.format("\\u%04x", c));
              }
            });
    return text.toString();
  }
}
