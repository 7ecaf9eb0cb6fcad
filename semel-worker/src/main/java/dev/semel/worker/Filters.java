package dev.semel.worker;

import dev.semel.Selection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which rows an operator means: the same options for every table that operators look after. */
final class Filters {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"--consumer", "--destination"},
      paramLabel = "NAME",
      description = "Only of this consumer; in the outbox: for this destination.")
  private @Nullable String consumer;

  @Option(names = "--state", paramLabel = "STATE", description = "Only in this state, as dead.")
  private @Nullable String state;

  @Option(
      names = "--with-reason",
      paramLabel = "TEXT",
      description = "Only with this text in the reason why they are here.")
  private @Nullable String reason;

  @Option(
      names = "--older-than",
      paramLabel = "AGE",
      converter = AgeConverter.class,
      description = "Only those first seen longer ago, such as 30s, 10m, 2h, 7d.")
  private @Nullable Duration olderThan;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most so many, the oldest first (default: " + Selection.DEFAULT_LIMIT + ").")
  private @Nullable Integer limit;

  /** Whether a condition is given; the limit is none. */
  boolean given() {
    return consumer != null || state != null || reason != null || olderThan != null;
  }

  boolean limited() {
    return limit != null;
  }

  int limit() {
    int most = limit == null ? Selection.DEFAULT_LIMIT : limit;
    if (most < 1) {
      throw refused("--limit is " + most + ", but must be at least 1");
    }
    return most;
  }

  /**
   * The conditions.
   *
   * @param ids only these rows; empty for any
   * @param states that there are
   */
  Selection selection(List<UUID> ids, int most, List<String> states) {
    if (state != null && !states.contains(state)) {
      throw refused(
          "--state is '"
              + Visible.cut(state, 40)
              + "', but there is only "
              + String.join(" and ", states));
    }
    return new Selection(ids, consumer, state, reason, olderThan, most);
  }

  ParameterException refused(String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
