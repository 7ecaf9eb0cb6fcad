package dev.semel.checker;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes a {@link Verdict} for a reader. */
final class Report {
  private static final int KEYS = 20;

  private final Verdict verdict;

  Report(Verdict verdict) {
    this.verdict = verdict;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(Escape.escape(verdict.consumer()))
        .append(verdict.ok() ? ": good" : ": BROKEN, violations " + verdict.violations().size())
        .append('\n');
    appendSums(text);
    for (Promise promise : Promise.values()) {
      append(text, name(promise), of(promise, verdict.violations()));
    }
    append(text, "undecided", verdict.undecided());
    return text.toString();
  }

  private void appendSums(StringBuilder text) {
    Balance sum = verdict.balance();
    text.append("  published ").append(sum.published());
    text.append(" + overlap ").append(sum.overlap());
    text.append(" = applied ").append(sum.applied());
    text.append(" + duplicates ").append(sum.duplicates());
    text.append(" + parked ").append(sum.parked());
    text.append(" + queued ").append(sum.queued());
    text.append(" + vanished ").append(sum.vanished()).append('\n');
    text.append("  recorded:");
    for (Event event : Event.values()) {
      text.append(' ').append(event.name().toLowerCase(Locale.ROOT)).append(' ');
      text.append(verdict.count(event)).append(',');
    }
    text.append(" entries without effect ").append(verdict.entriesWithoutEffect()).append('\n');
  }

  private static void append(StringBuilder text, String kind, List<Violation> found) {
    if (found.isEmpty()) {
      return;
    }
    text.append("  ").append(kind).append(", keys ").append(found.size()).append(": ");
    text.append(
        found.stream()
            .limit(KEYS)
            .map(violation -> Escape.escape(violation.key()))
            .collect(Collectors.joining(", ")));
    if (found.size() > KEYS) {
      text.append(" and ").append(found.size() - KEYS).append(" more");
    }
    text.append("; the first: ").append(found.get(0).detail()).append('\n');
  }

  private static List<Violation> of(Promise promise, List<Violation> violations) {
    return violations.stream().filter(violation -> violation.promise() == promise).toList();
  }

  private static String name(Promise promise) {
    return promise.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
