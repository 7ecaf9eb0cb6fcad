package dev.semel.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.semel.Outbox;
import java.util.List;

/** Messages of the outbox, as text and as JSON. */
final class OutboxView {

  static final String PENDING = "pending";
  static final String PARKED = "parked";

  private static final int NAME = 50;
  private static final int ERROR = 70;

  private OutboxView() {}

  static List<String> table(List<Outbox.Row> rows) {
    TextTable table =
        TextTable.of(
                "ID",
                "DESTINATION",
                "ADDRESS",
                "TYPE",
                "ORDERING KEY",
                "STATE",
                "ATTEMPTS",
                "LAST ERROR",
                "CREATED (UTC)",
                "DUE (UTC)")
            .numbers(6);
    for (Outbox.Row row : rows) {
      table.row(
          row.id().toString(),
          Visible.cut(row.destination(), NAME),
          Visible.cut(address(row), NAME),
          Visible.cut(row.type() == null ? "-" : row.type(), NAME),
          Visible.cut(row.orderingKey() == null ? "-" : row.orderingKey(), NAME),
          state(row),
          Integer.toString(row.attempts()),
          Visible.cut(row.lastError() == null ? "-" : row.lastError(), ERROR),
          Times.of(row.createdAt()),
          row.dueAt() == null || row.state().equals(PARKED) ? "-" : Times.of(row.dueAt()));
    }
    return table.lines();
  }

  private static String address(Outbox.Row row) {
    return row.address() + "/" + row.routingKey();
  }

  private static String state(Outbox.Row row) {
    return row.paused() ? row.state() + ", paused" : row.state();
  }

  static List<String> lines(Outbox.Row row) {
    return TextTable.of()
        .row("id", row.id().toString())
        .row("destination", Visible.of(row.destination()))
        .row("address", Visible.of(address(row)))
        .row("type", ParkedView.orNone(row.type()))
        .row("ordering key", ParkedView.orNone(row.orderingKey()))
        .row("state", state(row))
        .row("attempts", Integer.toString(row.attempts()))
        .row("last error", ParkedView.orNone(row.lastError()))
        .row("created", Times.of(row.createdAt()) + " UTC")
        .row("due", row.dueAt() == null ? "-" : Times.of(row.dueAt()) + " UTC")
        .row("size", row.size() + " bytes")
        .lines();
  }

  static ObjectNode json(Outbox.Row row) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", row.id().toString())
        .put("destination", row.destination())
        .put("address", row.address())
        .put("routingKey", row.routingKey())
        .put("type", row.type())
        .put("orderingKey", row.orderingKey())
        .put("state", row.state())
        .put("attempts", row.attempts())
        .put("lastError", row.lastError())
        .put("createdAt", row.createdAt().toString())
        .put("dueAt", row.dueAt() == null ? null : row.dueAt().toString())
        .put("size", row.size())
        .put("paused", row.paused());
  }

  static List<String> lines(Outbox.Sent sent) {
    return TextTable.of()
        .row("id", sent.id().toString())
        .row("destination", Visible.of(sent.destination()))
        .row("type", ParkedView.orNone(sent.type()))
        .row("ordering key", ParkedView.orNone(sent.orderingKey()))
        .row("state", "sent")
        .row("sent", Times.of(sent.sentAt()) + " UTC")
        .row("attempts", Integer.toString(sent.attempts()))
        .lines();
  }

  static ObjectNode json(Outbox.Sent sent) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", sent.id().toString())
        .put("destination", sent.destination())
        .put("type", sent.type())
        .put("orderingKey", sent.orderingKey())
        .put("state", "sent")
        .put("sentAt", sent.sentAt().toString())
        .put("attempts", sent.attempts());
  }

  static List<String> books(List<Outbox.Books> books) {
    TextTable table =
        TextTable.of(
                "DESTINATION", "WRITTEN", "CONFIRMED", "DISCARDED", "PENDING", "PARKED", "OFF BY")
            .numbers(1, 2, 3, 4, 5, 6);
    for (Outbox.Books each : books) {
      table.row(
          Visible.cut(each.destination(), NAME),
          Long.toString(each.written()),
          Long.toString(each.confirmed()),
          Long.toString(each.discarded()),
          Long.toString(each.pending()),
          Long.toString(each.parked()),
          Long.toString(each.offBy()));
    }
    return table.lines();
  }

  static ObjectNode json(Outbox.Books books) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("destination", books.destination())
        .put("written", books.written())
        .put("confirmed", books.confirmed())
        .put("discarded", books.discarded())
        .put("pending", books.pending())
        .put("parked", books.parked())
        .put("offBy", books.offBy());
  }

  static Deed deed(Outbox.Done done, boolean filtered) {
    boolean gone = done.result() == Outbox.Result.GONE;
    return new Deed(
        done.id(),
        gone ? null : done.destination(),
        gone ? null : done.destination(),
        done.result().name(),
        done.result().text() + (gone && filtered ? ", or not one that matches" : ""),
        done.result().done());
  }
}
