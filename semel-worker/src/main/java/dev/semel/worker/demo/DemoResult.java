package dev.semel.worker.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the demo found. Immutable. */
public final class DemoResult {

  private final Plan plan;
  private final int published;
  private final Map<Contender, Score> scores;
  private final double seconds;

  DemoResult(Plan plan, int published, Map<Contender, Score> scores, long startNanos) {
    this.plan = plan;
    this.published = published;
    this.scores = new EnumMap<>(scores);
    this.seconds = Math.round((System.nanoTime() - startNanos) / 1e8) / 10.0;
  }

  /**
   * Why the demo is not a success: it showed nothing, or Semel broke a promise.
   *
   * @return one line for each reason; empty for a success
   */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    Score semel = score(Contender.SEMEL);
    if (score(Contender.ACK_FIRST).lost() == 0) {
      problems.add("the worker that acknowledges first lost nothing, so the kills showed nothing");
    }
    if (score(Contender.NAIVE).doubled() == 0) {
      problems.add("the worker without a key doubled nothing, so the kills showed nothing");
    }
    if (semel.duplicates() * 3 < plan.kills()) {
      problems.add(
          "Semel met only "
              + semel.duplicates()
              + " duplicates in "
              + plan.kills()
              + " kills, so the kills showed nothing");
    }
    if (semel.doubled() + semel.copiesDoubled() > 0) {
      problems.add("Semel doubled " + (semel.doubled() + semel.copiesDoubled()) + " payments");
    }
    if (semel.lost() > 0) {
      problems.add("Semel lost " + semel.lost() + " payments");
    }
    OutboxScore outbox = semel.outbox();
    if (outbox.relayKills() == 0) {
      problems.add("no relay was killed with events in hand, so the kills showed nothing");
    }
    if (outbox.lost() > 0) {
      problems.add("Semel lost the events of " + outbox.lost() + " payments");
    }
    if (outbox.inventedOrDoubledIds() > 0) {
      problems.add(
          "Semel invented events, or sent them under two ids: " + outbox.inventedOrDoubledIds());
    }
    problems.addAll(semel.broken());
    return problems;
  }

  /**
   * The result for a program.
   *
   * @return one JSON object in one line
   */
  public String json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("messages", plan.messages()).put("published", published).put("kills", plan.kills());
    for (Contender each : Contender.values()) {
      Score score = score(each);
      ObjectNode node =
          json.putObject(each.json())
              .put("deliveries", score.deliveries())
              .put("effects", score.effects())
              .put("doubled", score.doubled())
              .put("lost", score.lost());
      if (each == Contender.SEMEL) {
        node.put("duplicates", score.duplicates());
      }
    }
    OutboxScore outbox = score(Contender.SEMEL).outbox();
    json.putObject("outbox")
        .put("written", outbox.written())
        .put("delivered", outbox.delivered())
        .put("copies", outbox.copies())
        .put("lost", outbox.lost())
        .put("inventedOrDoubledIds", outbox.inventedOrDoubledIds());
    json.put("relayKills", outbox.relayKills());
    return json.put("seconds", seconds).toString();
  }

  /**
   * The result for a person.
   *
   * @return a table and a sentence
   */
  public String table() {
    return new ResultTable(plan, published, seconds).text(scores);
  }

  private Score score(Contender contender) {
    return scores.get(contender);
  }
}
