package dev.semel.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parked messages and their books, as text and as JSON. */
final class ParkedView {

  static final String WAITING = "waiting";
  static final String DEAD = "dead";

  private static final int KEY = 60;
  private static final int REASON = 70;

  private ParkedView() {}

  static List<String> table(List<ParkedMessage> rows) {
    TextTable table =
        TextTable.of(
                "ID",
                "CONSUMER",
                "KEY",
                "STATE",
                "REASON",
                "ATTEMPTS",
                "DEATHS",
                "FIRST SEEN (UTC)",
                "NEXT ATTEMPT (UTC)")
            .numbers(5, 6);
    for (ParkedMessage row : rows) {
      table.row(
          row.id().toString(),
          Visible.cut(row.consumer(), KEY),
          Visible.cut(key(row), KEY),
          row.state(),
          Visible.cut(row.reason(), REASON),
          Integer.toString(row.attempts()),
          Integer.toString(row.deaths()),
          Times.of(row.firstSeen()),
          next(row));
    }
    return table.lines();
  }

  /** The producer's id; which generation of it is written behind. */
  static String key(ParkedMessage row) {
    String key = row.messageKey();
    if (key == null) {
      return "-";
    }
    String mark = "\u001fgeneration " + row.generation() + ":";
    return key.startsWith(mark)
        ? key.substring(mark.length()) + " (generation " + row.generation() + ")"
        : key;
  }

  static String next(ParkedMessage row) {
    if (row.running()) {
      return "running";
    }
    return isDead(row) ? "-" : Times.of(row.nextAttemptAt());
  }

  private static boolean isDead(ParkedMessage row) {
    return row.state().equals(DEAD);
  }

  static ObjectNode json(ParkedMessage row) {
    Instant next = isDead(row) ? null : row.nextAttemptAt();
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", row.id().toString())
        .put("consumer", row.consumer())
        .put("key", row.messageKey())
        .put("orderingKey", row.orderingKey())
        .put("state", row.state())
        .put("reason", row.reason())
        .put("attempts", row.attempts())
        .put("deaths", row.deaths())
        .put("copies", row.copies())
        .put("generation", row.generation())
        .put("firstSeen", row.firstSeen().toString())
        .put("lastSeen", row.lastSeen().toString())
        .put("nextAttempt", next == null ? null : next.toString())
        .put("running", row.running())
        .put("errorClass", row.errorClass())
        .put("errorMessage", row.errorMessage())
        .put("errorSqlState", row.errorSqlState())
        .put("size", row.size());
  }

  static List<String> books(List<Parking.Books> books) {
    TextTable table =
        TextTable.of(
                "CONSUMER",
                "PARKED",
                "APPLIED",
                "DUPLICATES",
                "DISCARDED",
                "WAITING",
                "DEAD",
                "OFF BY")
            .numbers(1, 2, 3, 4, 5, 6, 7);
    for (Parking.Books each : books) {
      table.row(
          Visible.cut(each.consumer(), KEY),
          Long.toString(each.parked()),
          Long.toString(each.applied()),
          Long.toString(each.duplicates()),
          Long.toString(each.discarded()),
          Long.toString(each.waiting()),
          Long.toString(each.dead()),
          Long.toString(each.offBy()));
    }
    return table.lines();
  }

  static ObjectNode json(Parking.Books books) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("consumer", books.consumer())
        .put("parked", books.parked())
        .put("applied", books.applied())
        .put("duplicates", books.duplicates())
        .put("discarded", books.discarded())
        .put("waiting", books.waiting())
        .put("dead", books.dead())
        .put("offBy", books.offBy());
  }

  static Deed deed(Parking.Done done, boolean filtered) {
    boolean gone = done.result() == Parking.Result.GONE;
    return new Deed(
        done.id(),
        gone && done.consumer().isEmpty() ? null : done.consumer(),
        done.messageKey(),
        done.result().name(),
        done.result().text() + (gone && filtered ? ", or not one that matches" : ""),
        done.result().done());
  }

  static String orNone(@Nullable String text) {
    return text == null ? "-" : Visible.of(text);
  }
}
