package dev.semel.worker;

import dev.semel.Order;
import dev.semel.Outbox;
import dev.semel.Outgoing;
import dev.semel.Selection;
import dev.semel.Semel;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks after messages that are to leave. */
@Command(
    name = "outbox",
    description = "Lists, shows, retries and discards messages of the outbox; stops destinations.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = "  semel outbox list --state parked")
final class OutboxCommand implements Runnable {

  private static final List<String> STATES = List.of(OutboxView.PENDING, OutboxView.PARKED);
  private static final String ROW = "message";
  private static final String ALL_DONE = "0:all were done; in a dry run: would be";
  private static final String SOME_NOT = "1:some were not done";

  private final Context context;

  @Mixin private StandardHelp help = new StandardHelp();

  @Spec private CommandSpec spec = CommandSpec.create();

  OutboxCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no verb given");
  }

  @Command(
      description = "Lists messages that have not left yet, the oldest first.",
      footer = {
        "  semel outbox list --state parked --older-than 1h \\",
        "      --jdbc jdbc:postgresql://localhost:5432/shop --user shop",
        "  semel outbox list --with-reason unroutable --json | jq -r '.[].id'"
      })
  int list(
      @Mixin StandardHelp standard,
      @Mixin Filters filters,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    int limit = filters.limit();
    Selection selection = filters.selection(List.of(), Math.max(limit, limit + 1), STATES);
    List<Outbox.Row> rows = outbox(database, schema).list(selection);
    List<Outbox.Row> shown = rows.subList(0, Math.min(limit, rows.size()));
    if (json.given()) {
      context.out().println(Json.array(shown.stream().map(OutboxView::json).toList()));
    } else if (shown.isEmpty()) {
      context.out().println(filters.given() ? "no message matches" : "the outbox is empty");
    } else {
      OutboxView.table(shown).forEach(context.out()::println);
    }
    context.out().flush();
    if (rows.size() > limit) {
      tell("only the oldest " + limit + " are shown; --limit N shows more");
    }
    return ExitStatus.GOOD;
  }

  @Command(
      description = {
        "Shows what is known of a message that has not left yet.",
        "Of one that has left as well, as long as keepSent says."
      },
      exitCodeList = {
        "0:good",
        "1:there is no such message",
        StandardHelp.NOT_ASKED,
        StandardHelp.INTERRUPTED
      },
      footer = {
        "  semel outbox show 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11",
        "  semel outbox show 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 --body > body.bin"
      })
  int show(
      @Mixin StandardHelp standard,
      @Parameters(
              paramLabel = "ID",
              converter = RowIdConverter.class,
              description = RowIdConverter.DESCRIPTION)
          UUID id,
      @Option(names = "--body", description = "Write the body, its bytes and nothing else.")
          boolean body,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    if (body && json.given()) {
      throw new ParameterException(
          spec.subcommands().get("show"), "--body and --json exclude each other");
    }
    Outbox outbox = outbox(database, schema);
    if (body) {
      Optional<Outgoing> message = outbox.message(id);
      message.ifPresent(m -> write(m.body()));
      return message.isPresent() ? ExitStatus.GOOD : none(id);
    }
    List<Outbox.Row> rows = outbox.list(Selection.of(List.of(id)));
    if (!rows.isEmpty()) {
      Outbox.Row row = rows.get(0);
      print(json, OutboxView.lines(row), Json.text(OutboxView.json(row)));
      return ExitStatus.GOOD;
    }
    Outbox.Sent sent = outbox.sent(id).orElse(null);
    if (sent == null) {
      return none(id);
    }
    print(json, OutboxView.lines(sent), Json.text(OutboxView.json(sent)));
    return ExitStatus.GOOD;
  }

  private int none(UUID id) {
    tell("no such message in the outbox: " + id);
    return ExitStatus.BAD;
  }

  private void print(JsonOption json, List<String> lines, String text) {
    if (json.given()) {
      context.out().println(text);
    } else {
      lines.forEach(context.out()::println);
    }
    context.out().flush();
  }

  @Command(
      description = {
        "Lets messages leave again at once: parked ones, and those that wait for their time.",
        "Each row is audited."
      },
      exitCodeList = {ALL_DONE, SOME_NOT, StandardHelp.NOT_ASKED, StandardHelp.INTERRUPTED},
      footer = {
        "  semel outbox retry 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 --reason 'queue is bound'",
        "  semel outbox retry --with-reason unroutable --all --reason 'queue is bound'"
      })
  int retry(
      @Mixin StandardHelp standard,
      @Mixin OrderOptions options,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    Selection selection = options.selection(STATES);
    Order order = options.order();
    Outbox outbox = outbox(database, schema);
    Changes changes =
        new Changes(context, options, new Changes.Words("retry", "retried", ROW), json.given());
    return changes.run(
        selection, order, s -> ids(outbox, s), (s, o) -> deeds(options, outbox.retry(s, o)));
  }

  @Command(
      description = {
        "Gives messages up: they are removed and never leave.",
        "Those of their ordering key that wait behind them go on.",
        "Each row is audited with the SHA-256 of its body."
      },
      exitCodeList = {ALL_DONE, SOME_NOT, StandardHelp.NOT_ASKED, StandardHelp.INTERRUPTED},
      footer = {
        "  semel outbox discard 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 --reason 'told by mail'",
        "  semel outbox discard --state parked --older-than 30d --reason cleaning --dry-run"
      })
  int discard(
      @Mixin StandardHelp standard,
      @Mixin OrderOptions options,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    Selection selection = options.selection(STATES);
    Order order = options.order();
    Outbox outbox = outbox(database, schema);
    Changes changes =
        new Changes(context, options, new Changes.Words("discard", "discarded", ROW), json.given());
    return changes.run(
        selection, order, s -> ids(outbox, s), (s, o) -> deeds(options, outbox.discard(s, o)));
  }

  @Command(
      description = "Stops a destination for all relays; what is to go there waits.",
      footer = "  semel outbox pause rabbitmq --reason 'broker is being moved'")
  int pause(
      @Mixin StandardHelp standard,
      @Parameters(paramLabel = "DESTINATION", description = "Its name.") String destination,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "WHY",
              description = "Why, for the audit.")
          String reason,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    return pause(outbox(database, schema), destination, true, reason);
  }

  @Command(
      description = "Lets a destination go on.",
      footer = "  semel outbox resume rabbitmq --reason 'broker is back'")
  int resume(
      @Mixin StandardHelp standard,
      @Parameters(paramLabel = "DESTINATION", description = "Its name.") String destination,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "WHY",
              description = "Why, for the audit.")
          String reason,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    return pause(outbox(database, schema), destination, false, reason);
  }

  @Command(
      description = {
        "Prints the books of the outbox, destination by destination.",
        "They close if written = confirmed + discarded + pending + parked."
      },
      exitCodeList = {
        "0:the books close",
        "1:the books of a destination do not close",
        StandardHelp.NOT_ASKED,
        StandardHelp.INTERRUPTED
      },
      footer = "  semel outbox books --jdbc jdbc:postgresql://localhost:5432/shop --user shop")
  int books(
      @Mixin StandardHelp standard,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    List<Outbox.Books> books = outbox(database, schema).books();
    if (json.given()) {
      context.out().println(Json.array(books.stream().map(OutboxView::json).toList()));
    } else if (books.isEmpty()) {
      context.out().println("no message was ever in the outbox");
    } else {
      OutboxView.books(books).forEach(context.out()::println);
    }
    return books.stream().allMatch(b -> b.offBy() == 0) ? ExitStatus.GOOD : ExitStatus.BAD;
  }

  private int pause(Outbox outbox, String destination, boolean paused, String reason) {
    boolean changed =
        outbox.pause(destination, paused, Order.by(System.getProperty("user.name"), reason));
    context
        .out()
        .println(
            "destination '"
                + Visible.cut(destination, 60)
                + "' "
                + (changed ? "is " : "was already ")
                + (paused ? "paused" : "at work"));
    context.out().flush();
    return ExitStatus.GOOD;
  }

  private static List<UUID> ids(Outbox outbox, Selection selection) {
    return outbox.list(selection).stream().map(Outbox.Row::id).toList();
  }

  private static List<Deed> deeds(OrderOptions options, List<Outbox.Done> done) {
    boolean filtered = options.filters().given();
    return done.stream().map(d -> OutboxView.deed(d, filtered)).toList();
  }

  private static Outbox outbox(DatabaseOptions database, SchemaOption schema) {
    return Semel.builder(database.reachable().dataSource()).schema(schema.name()).build().outbox();
  }

  private void write(byte[] body) {
    context.out().flush();
    try {
      context.bytes().write(body);
      context.bytes().flush();
    } catch (IOException e) {
      throw new UserError("the body could not be written: " + e.getMessage(), e);
    }
  }

  private void tell(String what) {
    context.err().println("semel: " + what);
    context.err().flush();
  }
}
