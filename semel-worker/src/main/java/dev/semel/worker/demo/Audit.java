package dev.semel.worker.demo;

import dev.semel.checker.Event;
import dev.semel.checker.History;
import dev.semel.checker.Judge;
import dev.semel.checker.Recorded;
import dev.semel.checker.Tally;
import dev.semel.checker.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Counts effects by SQL and compares them with what was published. */
final class Audit {

  private final Contender contender;
  private final Set<String> sentTwice;

  Audit(Contender contender, Set<String> sentTwice) {
    this.contender = contender;
    this.sentTwice = sentTwice;
  }

  /** The queue has been worked off, and all workers have ended; relays too. */
  Score score(Path directory, DemoDatabase database, List<Arrival> events, int relayKills)
      throws IOException, SQLException {
    History history = History.read(directory);
    Tally effects;
    List<String> broken = new ArrayList<>();
    try (Connection connection = database.auditor()) {
      effects = Tally.read(connection, "select payment from " + database.effects(contender));
      if (contender == Contender.SEMEL) {
        broken.addAll(books(connection, database.schema(), effects.total()));
      }
    }
    Verdict verdict = Judge.of(history, contender.id()).effects(effects).judge();
    if (contender == Contender.SEMEL && !verdict.ok()) {
      verdict.report().lines().forEach(broken::add);
    }
    int copiesDoubled = (int) verdict.doubled().stream().filter(sentTwice::contains).count();
    return new Score(
        deliveries(history),
        effects.total(),
        verdict.doubled().size() - copiesDoubled,
        copiesDoubled,
        verdict.lost().size(),
        duplicates(history),
        List.copyOf(broken),
        contender == Contender.SEMEL
            ? OutboxScore.of(effects, events, relayKills)
            : OutboxScore.NONE);
  }

  /** What Semel says of its outbox itself must agree with what was counted without it. */
  private static List<String> books(Connection connection, String schema, long events)
      throws SQLException {
    String query =
        "select coalesce(sum(written), 0), coalesce(sum(confirmed), 0), coalesce(sum(abs(off_by)), 0) from "
            + schema
            + ".promise_books";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      long written = row.getLong(1);
      long confirmed = row.getLong(2);
      long offBy = row.getLong(3);
      if (written == events && confirmed == events && offBy == 0) {
        return List.of();
      }
      return List.of(
          String.format(
              Locale.ROOT,
              "Semel's books of the outbox say %d written, %d confirmed, off by %d; it should be %d, all confirmed",
              written,
              confirmed,
              offBy,
              events));
    }
  }

  private int duplicates(History history) {
    return (int)
        history.events().stream()
            .filter(each -> each.event() == Event.ACKNOWLEDGED)
            .filter(each -> each.detail().equals("duplicate"))
            .filter(each -> !sentTwice.contains(each.key()))
            .count();
  }

  /** A delivery is entered, or acknowledged, or both; in one process and of one payment. */
  private static int deliveries(History history) {
    record Place(String file, String payment) {}
    Map<Place, Integer> all = new HashMap<>();
    for (Event kind : List.of(Event.ENTERED, Event.ACKNOWLEDGED)) {
      Map<Place, Integer> counts = new HashMap<>();
      for (Recorded each : history.events()) {
        if (each.event() == kind) {
          counts.merge(new Place(each.file(), each.key()), 1, Integer::sum);
        }
      }
      counts.forEach((place, count) -> all.merge(place, count, Math::max));
    }
    return all.values().stream().mapToInt(Integer::intValue).sum();
  }
}
