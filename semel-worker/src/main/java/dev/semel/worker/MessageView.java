package dev.semel.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.semel.Message;
import dev.semel.ParkedMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All that is known of one parked message but its body, as text and as JSON. */
record MessageView(ParkedMessage row, Message message) {

  List<String> lines() {
    TextTable facts =
        TextTable.of()
            .row("id", row.id().toString())
            .row("consumer", Visible.of(row.consumer()))
            .row("key", Visible.of(ParkedView.key(row)))
            .row("ordering key", ParkedView.orNone(row.orderingKey()))
            .row("state", row.state())
            .row("reason", Visible.of(row.reason()))
            .row("attempts", Integer.toString(row.attempts()))
            .row("deaths", Integer.toString(row.deaths()))
            .row("copies", Integer.toString(row.copies()))
            .row("generation", Integer.toString(row.generation()))
            .row("first seen", Times.of(row.firstSeen()) + " UTC")
            .row("last seen", Times.of(row.lastSeen()) + " UTC")
            .row("next attempt", next())
            .row("error class", ParkedView.orNone(row.errorClass()))
            .row("error message", ParkedView.orNone(row.errorMessage()))
            .row("SQLSTATE", ParkedView.orNone(row.errorSqlState()))
            .row("size", row.size() + " bytes");
    List<String> lines = new ArrayList<>(facts.lines());
    lines.add("properties" + (properties().isEmpty() ? ": none" : ""));
    TextTable properties = TextTable.of();
    properties().forEach((name, value) -> properties.row(indented(name), Visible.of(value)));
    lines.addAll(properties.lines());
    lines.add("headers" + (message.headers().isEmpty() ? ": none" : ""));
    TextTable headers = TextTable.of();
    message
        .headers()
        .forEach(
            (name, value) ->
                headers.row(indented(name), HeaderView.type(value), HeaderView.text(value)));
    lines.addAll(headers.lines());
    return lines;
  }

  private String next() {
    String next = ParkedView.next(row);
    return next.contains(":") ? next + " UTC" : next;
  }

  private static String indented(String name) {
    return "  " + Visible.of(name);
  }

  ObjectNode json() {
    ObjectNode json = ParkedView.json(row);
    ObjectNode properties = json.putObject("properties");
    properties().forEach(properties::put);
    ObjectNode headers = json.putObject("headers");
    message.headers().forEach((name, value) -> headers.set(name, HeaderView.json(value)));
    return json;
  }

  /** By their AMQP names; only those that were there. */
  private Map<String, String> properties() {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "message-id", message.id());
    put(all, "type", message.type());
    put(all, "content-type", message.contentType());
    put(all, "timestamp", message.timestamp());
    all.putAll(message.properties());
    return all;
  }

  private static void put(Map<String, String> map, String name, @Nullable Object value) {
    if (value != null) {
      map.put(name, value.toString());
    }
  }
}
