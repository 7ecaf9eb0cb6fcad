package dev.semel.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the bench found. Immutable. */
final class BenchResult {

  private final Plan plan;
  private final Map<String, String> servers;
  private final Rates rates;
  private final List<String> broken;
  private final double seconds;

  BenchResult(
      Plan plan, Map<String, String> servers, Rates rates, List<String> broken, double seconds) {
    this.plan = plan;
    this.servers = servers;
    this.rates = rates;
    this.broken = List.copyOf(broken);
    this.seconds = seconds;
  }

  /**
   * Why this is no success: a contender lost or doubled, or a goal was missed.
   *
   * @return one line for each reason; empty for a success
   */
  List<String> problems() {
    List<String> problems = new ArrayList<>(broken);
    for (Goal goal : plan.goals()) {
      if (goal.missed(rates)) {
        problems.add(
            format(
                "goal missed: %s is %.2f, but must be at least %.2f",
                goal.text(), goal.ratio(rates).orElseThrow(), goal.factor()));
      }
    }
    return problems;
  }

  /**
   * The result for a program.
   *
   * @return one JSON object in one line
   */
  String json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("messages", plan.messages()).put("rounds", plan.rounds());
    ObjectNode settings = json.putObject("servers");
    servers.forEach(settings::put);
    ObjectNode contenders = json.putObject("contenders");
    for (Contender each : plan.contenders()) {
      ObjectNode node = contenders.putObject(each.name()).put("title", each.title());
      if (each.scene().parked() > 0) {
        node.put("parked", each.scene().parked());
      }
      rates.median(each).ifPresent(median -> node.put("median", Math.round(median)));
      ArrayNode rounds = node.putArray("perSecond");
      rates.of(each).forEach(rate -> rounds.add(Math.round(rate)));
    }
    ArrayNode goals = json.putArray("goals");
    for (Goal goal : plan.goals()) {
      goal.ratio(rates)
          .ifPresent(
              ratio ->
                  goals
                      .addObject()
                      .put("ratio", goal.contender().name() + "/" + goal.than().name())
                      .put("value", Math.round(ratio * 100) / 100.0)
                      .put("goal", goal.factor())
                      .put("met", !goal.missed(rates)));
    }
    ArrayNode problems = json.putArray("problems");
    problems().forEach(problems::add);
    return json.put("seconds", Math.round(seconds * 10) / 10.0).toString();
  }

  /**
   * The result for a person.
   *
   * @return several lines
   */
  String table() {
    StringBuilder text = new StringBuilder();
    servers.forEach((name, value) -> text.append(format("%s: %s%n", name, value)));
    text.append(
        format(
            "%,d persistent messages; rounds: %d. Each run has a fresh queue, database and JVM (client"
                + " compiler,%nserial collector; its warm-up is inside the time), and is timed from the"
                + " first delivery to the last%nacknowledgement.%n%n",
            plan.messages(), plan.rounds()));
    int width = plan.contenders().stream().mapToInt(c -> c.name().length()).max().orElse(1);
    String start = "%-" + width + "s  %-48s";
    text.append(format(start + " %10s   %s%n", "", "messages a second", "median", "rounds"));
    for (Contender each : plan.contenders()) {
      text.append(format(start, each.name(), each.title()));
      rates.median(each).ifPresent(median -> text.append(format(" %,10.0f  ", median)));
      rates.of(each).forEach(rate -> text.append(format(" %,.0f", rate)));
      text.append(System.lineSeparator());
    }
    text.append(System.lineSeparator());
    for (Goal goal : plan.goals()) {
      goal.ratio(rates)
          .ifPresent(
              ratio ->
                  text.append(
                      format(
                          "%s  %.2f   goal: at least %.2f   %s%n",
                          goal.text(),
                          ratio,
                          goal.factor(),
                          goal.missed(rates) ? "MISSED" : "met")));
    }
    return text.append(format("%n%.0f s", seconds)).toString();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
