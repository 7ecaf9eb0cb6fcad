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
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
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

  /** The queue has been worked off, and all workers have ended. */
  Score score(Path directory, DemoDatabase database) throws IOException, SQLException {
    History history = History.read(directory);
    Tally effects;
    try (Connection connection = database.auditor()) {
      effects = Tally.read(connection, "select payment from " + database.effects(contender));
    }
    Verdict verdict = Judge.of(history, contender.id()).effects(effects).judge();
    int copiesDoubled = (int) verdict.doubled().stream().filter(sentTwice::contains).count();
    return new Score(
        deliveries(history),
        effects.total(),
        verdict.doubled().size() - copiesDoubled,
        copiesDoubled,
        verdict.lost().size(),
        duplicates(history),
        contender == Contender.SEMEL && !verdict.ok()
            ? verdict.report().lines().toList()
            : List.of());
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
