package dev.semel.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.semel.Order;
import dev.semel.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The course of a verb that changes rows, the same for every table that operators look after: find
 * them, ask whoever wants to be asked, deal with some hundred at a time, and say of each what
 * became of it. What was done before a failure is told too.
 */
final class Changes {

  private static final int AT_A_TIME = 100;

  private final Context context;
  private final OrderOptions options;
  private final Words words;
  private final boolean json;
  private final List<Deed> deeds = new ArrayList<>();

  /**
   * How the verb is called.
   *
   * @param verb such as {@code replay}
   * @param done such as {@code replayed}
   * @param row such as {@code parked message}
   */
  record Words(String verb, String done, String row) {

    String rows(int number) {
      return number + " " + row + (number == 1 ? "" : "s");
    }
  }

  /** The rows that a selection finds. */
  @FunctionalInterface
  interface Finder {
    List<UUID> find(Selection selection);
  }

  /** Deals with rows. */
  @FunctionalInterface
  interface Doer {
    List<Deed> carryOut(Selection selection, Order order);
  }

  Changes(Context context, OrderOptions options, Words words, boolean json) {
    this.context = context;
    this.options = options;
    this.words = words;
    this.json = json;
  }

  /** Gives the exit status. */
  int run(Selection selection, Order order, Finder finder, Doer doer) {
    List<UUID> ids = selection.ids().isEmpty() ? found(selection, finder) : selection.ids();
    if (options.wantsConfirmation() && !ids.isEmpty() && !confirmed(ids.size())) {
      context.err().println("semel: nothing was done");
      context.err().flush();
      return ExitStatus.BAD;
    }
    boolean finished = false;
    try {
      for (int from = 0; from < ids.size(); from += AT_A_TIME) {
        List<UUID> some = ids.subList(from, Math.min(ids.size(), from + AT_A_TIME));
        told(doer.carryOut(narrowed(selection, some), order));
      }
      finished = true;
    } finally {
      if (finished || !deeds.isEmpty()) {
        sum(ids.size());
      }
      if (!finished && !deeds.isEmpty()) {
        context.err().println("semel: it failed in between; the audit knows all that was done");
        context.err().flush();
      }
    }
    return deeds.stream().allMatch(Deed::done) ? ExitStatus.GOOD : ExitStatus.BAD;
  }

  private List<UUID> found(Selection selection, Finder finder) {
    int limit = selection.limit();
    List<UUID> found = finder.find(selection.limit(Math.max(limit, limit + 1)));
    if (found.size() <= limit) {
      return found;
    }
    context
        .err()
        .println(
            "semel: more than "
                + words.rows(limit)
                + " match; only the oldest are taken (--limit N or --all takes more)");
    context.err().flush();
    return found.subList(0, limit);
  }

  private boolean confirmed(int number) {
    Context.Person person = context.person();
    String what = words.verb() + " " + words.rows(number);
    if (person == null) {
      throw new UserError(
          "there is no terminal to ask whether to " + what + "; say --yes beside --all");
    }
    String answer = person.answer(what + "? [y/N] ");
    return answer != null && answer.strip().matches("(?i)y|yes");
  }

  /** The conditions still hold: what has changed since it was found is left alone. */
  private static Selection narrowed(Selection selection, List<UUID> ids) {
    return new Selection(
        ids,
        selection.consumer(),
        selection.state(),
        selection.reason(),
        selection.olderThan(),
        ids.size());
  }

  private void told(List<Deed> some) {
    deeds.addAll(some);
    if (!json) {
      TextTable table = TextTable.of();
      some.forEach(d -> table.row(d.id().toString(), key(d.key()), d.text()));
      table.lines().forEach(context.out()::println);
      context.out().flush();
    }
  }

  private static String key(@Nullable String key) {
    return key == null ? "-" : Visible.cut(key, 60);
  }

  private void sum(int ordered) {
    if (json) {
      context.out().println(Json.array(deeds.stream().map(this::json).toList()));
    } else {
      long done = deeds.stream().filter(Deed::done).count();
      context
          .out()
          .println(
              options.dryRun()
                  ? "dry run, nothing was changed: would be "
                      + words.done()
                      + " "
                      + done
                      + " of "
                      + ordered
                  : words.done() + " " + done + " of " + ordered);
    }
    context.out().flush();
  }

  private ObjectNode json(Deed deed) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", deed.id().toString())
        .put("consumer", deed.owner())
        .put("key", deed.key())
        .put("result", deed.result())
        .put("done", deed.done())
        .put("dryRun", options.dryRun())
        .put("text", deed.text());
  }
}
