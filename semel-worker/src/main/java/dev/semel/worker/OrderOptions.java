package dev.semel.worker;

import dev.semel.Order;
import dev.semel.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** What every verb has that changes rows: which rows, who wants it, and why. */
final class OrderOptions {

  // Converted by hand: what picocli cannot convert in such a list it takes for something else.
  @Parameters(paramLabel = "ID", arity = "0..*", description = RowIdConverter.DESCRIPTION)
  private List<String> rows = new ArrayList<>();

  @Mixin private Filters filters = new Filters();

  @Option(names = "--all", description = "All rows that match, without a limit.")
  private boolean all;

  @Option(names = "--yes", description = "Do not ask before --all.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Change nothing, only say what would be done.")
  private boolean dryRun;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "WHY",
      description = "Why, for the audit.")
  private String reason = "";

  @Option(
      names = "--who",
      paramLabel = "NAME",
      description = "Who does it, for the audit (default: the name of the user).")
  private @Nullable String who;

  List<UUID> ids() {
    try {
      return rows.stream().map(new RowIdConverter()::convert).distinct().toList();
    } catch (TypeConversionException e) {
      throw filters.refused("ID: " + e.getMessage());
    }
  }

  Filters filters() {
    return filters;
  }

  boolean all() {
    return all;
  }

  boolean dryRun() {
    return dryRun;
  }

  /** Whether somebody has to confirm it. */
  boolean wantsConfirmation() {
    return all && !yes && !dryRun;
  }

  Order order() {
    return new Order(who != null ? who : System.getProperty("user.name"), reason, dryRun);
  }

  /** The rows that are meant; refuses to mean all without having been told. */
  Selection selection(List<String> states) {
    List<UUID> ids = ids();
    if (ids.isEmpty() && !filters.given() && !all) {
      throw filters.refused("name rows by ID, or with filters such as --consumer, or say --all");
    }
    if (all && !ids.isEmpty()) {
      throw filters.refused("say either ID or --all");
    }
    if (filters.limited() && (all || !ids.isEmpty())) {
      throw filters.refused("--limit goes with filters, not with ID or --all");
    }
    int most = !ids.isEmpty() ? ids.size() : all ? Integer.MAX_VALUE : filters.limit();
    return filters.selection(ids, most, states);
  }
}
