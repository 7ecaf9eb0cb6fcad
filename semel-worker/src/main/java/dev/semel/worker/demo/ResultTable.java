package dev.semel.worker.demo;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Writes the result for a person. */
record ResultTable(Plan plan, int published, double seconds) {

  String text(Map<Contender, Score> scores) {
    StringBuilder text = new StringBuilder();
    int copies = published - plan.messages();
    text.append(
        format(
            "%,d payments, %,d of them sent twice by the producer. Each worker was killed %d times"
                + " with SIGKILL%nand started again. Effects are rows of a table without a unique key.%n%n",
            plan.messages(), copies, plan.kills()));
    text.append(format("  %-34s %12s %12s %12s%n", "", "ack first", "ack after,", "Semel"));
    text.append(format("  %-34s %12s %12s%n", "", "then work", "without key"));
    kills(text, "killed inside a handler", Moment.INSIDE_HANDLER);
    kills(text, "killed between commit and ack", Moment.BETWEEN_COMMIT_AND_ACKNOWLEDGEMENT);
    row(text, scores, "deliveries taken up", Score::deliveries);
    row(text, scores, "effects (should be " + format("%,d", plan.messages()) + ")", Score::effects);
    row(text, scores, "LOST: no effect", Score::lost);
    row(text, scores, "DOUBLED: more than one effect", Score::doubled);
    row(text, scores, "producer's copies doubled", Score::copiesDoubled);
    text.append(
        format(
            "  %-34s %12s %12s %,12d%n",
            "redeliveries recognised, no effect",
            "-",
            "-",
            scores.get(Contender.SEMEL).duplicates()));
    outbox(text, scores.get(Contender.SEMEL).outbox());
    return text.append(format("%n%.1f s, seed %d (--seed repeats it)%n", seconds, plan.seed()))
        .toString();
  }

  private static void outbox(StringBuilder text, OutboxScore outbox) {
    text.append(
        format(
            "%nSemel's handler also sent one event for each payment. Relays, which let events out,"
                + " were killed%n%d times with SIGKILL, with events in hand.%n",
            outbox.relayKills()));
    text.append(
        format(
            "  %,d events written, %,d delivered, %,d copies of these under the same ids%n",
            outbox.written(), outbox.delivered(), outbox.copies()));
    text.append(
        format(
            "  LOST: %,d; INVENTED, or under two ids: %,d%n",
            outbox.lost(), outbox.inventedOrDoubledIds()));
  }

  private void kills(StringBuilder text, String title, Moment moment) {
    text.append(format("  %-34s", title));
    for (Contender each : Contender.values()) {
      long hits = each.kills(plan).stream().filter(kill -> kill.moment() == moment).count();
      text.append(format(" %,12d", hits));
    }
    text.append(System.lineSeparator());
  }

  private static void row(
      StringBuilder text,
      Map<Contender, Score> scores,
      String title,
      Function<Score, Number> value) {
    text.append(format("  %-34s", title));
    for (Contender each : Contender.values()) {
      text.append(format(" %,12d", value.apply(scores.get(each)).longValue()));
    }
    text.append(System.lineSeparator());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
