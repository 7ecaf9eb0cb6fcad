package dev.semel.worker;

import dev.semel.Message;
import dev.semel.Order;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Selection;
import dev.semel.Semel;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks after parked messages. */
@Command(
    name = "parked",
    description = "Lists, shows, replays and discards parked messages, and checks their books.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = "  semel parked list --state dead")
final class ParkedCommand implements Runnable {

  private static final List<String> STATES = List.of(ParkedView.WAITING, ParkedView.DEAD);
  private static final String ROW = "parked message";
  private static final String ALL_DONE = "0:all were done; in a dry run: would be";
  private static final String SOME_NOT = "1:some were not done";

  private final Context context;

  @Mixin private StandardHelp help = new StandardHelp();

  @Spec private CommandSpec spec = CommandSpec.create();

  ParkedCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no verb given");
  }

  @Command(
      description = "Lists parked messages without their bytes, the oldest first.",
      footer = {
        "  semel parked list --consumer payments --state dead --older-than 1h \\",
        "      --jdbc jdbc:postgresql://localhost:5432/shop --user shop",
        "  semel parked list --limit 10000 --json | jq -r '.[].key'"
      })
  int list(
      @Mixin StandardHelp standard,
      @Mixin Filters filters,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    int limit = filters.limit();
    Selection selection = filters.selection(List.of(), Math.max(limit, limit + 1), STATES);
    List<ParkedMessage> rows = parking(database, schema).list(selection);
    List<ParkedMessage> shown = rows.subList(0, Math.min(limit, rows.size()));
    if (json.given()) {
      context.out().println(Json.array(shown.stream().map(ParkedView::json).toList()));
    } else if (shown.isEmpty()) {
      context.out().println("no parked message" + (filters.given() ? " matches" : ""));
    } else {
      ParkedView.table(shown).forEach(context.out()::println);
    }
    context.out().flush();
    if (rows.size() > limit) {
      tell("only the oldest " + limit + " are shown; --limit N shows more");
    }
    return ExitStatus.GOOD;
  }

  @Command(
      description = "Shows all that is known of a parked message, headers and properties included.",
      exitCodeList = {
        "0:good",
        "1:there is no such message",
        StandardHelp.NOT_ASKED,
        StandardHelp.INTERRUPTED
      },
      footer = {
        "  semel parked show 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11",
        "  semel parked show 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 --body > body.bin"
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
    Parking parking = parking(database, schema);
    List<ParkedMessage> rows = parking.list(Selection.of(List.of(id)));
    Message message = parking.message(id).orElse(null);
    if (rows.isEmpty() || message == null) {
      tell("no such parked message: " + id);
      return ExitStatus.BAD;
    }
    if (body) {
      write(message.body());
    } else {
      MessageView view = new MessageView(rows.get(0), message);
      if (json.given()) {
        context.out().println(Json.text(view.json()));
      } else {
        view.lines().forEach(context.out()::println);
      }
    }
    return ExitStatus.GOOD;
  }

  @Command(
      description = {
        "Lets parked messages run again, as soon as a worker has time.",
        "One whose key is processed does not run, unless --again is said. Each row is audited."
      },
      exitCodeList = {ALL_DONE, SOME_NOT, StandardHelp.NOT_ASKED, StandardHelp.INTERRUPTED},
      footer = {
        "  semel parked replay 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 \\",
        "      --reason 'stock is back'",
        "  semel parked replay --consumer payments --with-reason timeout --all \\",
        "      --reason 'provider is up again'"
      })
  int replay(
      @Mixin StandardHelp standard,
      @Mixin OrderOptions options,
      @Mixin ReplayOptions how,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    Selection selection = options.selection(STATES);
    Order order = options.order();
    checkGivenId(options, how);
    Parking parking = parking(database, schema);
    if (how.id() != null) {
      checkHasNone(parking.list(selection));
    }
    Changes changes =
        new Changes(context, options, new Changes.Words("replay", "replayed", ROW), json.given());
    return changes.run(
        selection,
        order,
        s -> ids(parking, s),
        (s, o) -> deeds(options, parking.replay(s, how.toReplay(), o)));
  }

  @Command(
      description = {
        "Gives parked messages up for good.",
        "Their keys count as processed, so that no copy runs later, and their bytes are removed.",
        "Each row is audited with the SHA-256 of its body."
      },
      exitCodeList = {ALL_DONE, SOME_NOT, StandardHelp.NOT_ASKED, StandardHelp.INTERRUPTED},
      footer = {
        "  semel parked discard 1f0e0c9a-7f0b-4a43-9d1c-0d6a5e2b9c11 --reason 'paid by hand'",
        "  semel parked discard --state dead --older-than 30d --reason cleaning --dry-run"
      })
  int discard(
      @Mixin StandardHelp standard,
      @Mixin OrderOptions options,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    Selection selection = options.selection(STATES);
    Order order = options.order();
    Parking parking = parking(database, schema);
    Changes changes =
        new Changes(context, options, new Changes.Words("discard", "discarded", ROW), json.given());
    return changes.run(
        selection, order, s -> ids(parking, s), (s, o) -> deeds(options, parking.discard(s, o)));
  }

  @Command(
      description = {
        "Prints the books of parked messages, consumer by consumer.",
        "They close if parked = applied + duplicates + discarded + waiting + dead."
      },
      exitCodeList = {
        "0:the books close",
        "1:the books of a consumer do not close",
        StandardHelp.NOT_ASKED,
        StandardHelp.INTERRUPTED
      },
      footer = "  semel parked books --jdbc jdbc:postgresql://localhost:5432/shop --user shop")
  int books(
      @Mixin StandardHelp standard,
      @Mixin JsonOption json,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema) {
    List<Parking.Books> books = parking(database, schema).books();
    if (json.given()) {
      context.out().println(Json.array(books.stream().map(ParkedView::json).toList()));
    } else if (books.isEmpty()) {
      context.out().println("no message was ever parked");
    } else {
      ParkedView.books(books).forEach(context.out()::println);
    }
    return books.stream().allMatch(b -> b.offBy() == 0) ? ExitStatus.GOOD : ExitStatus.BAD;
  }

  private static void checkGivenId(OrderOptions options, ReplayOptions how) {
    if (how.id() != null && how.id().isBlank()) {
      throw options.filters().refused("--id is blank");
    }
    if (how.id() != null && options.ids().size() != 1) {
      throw options.filters().refused("--id is for one message; name that one by ID");
    }
  }

  private static void checkHasNone(List<ParkedMessage> rows) {
    for (ParkedMessage row : rows) {
      if (row.messageKey() != null) {
        throw new UserError(
            "parked message "
                + row.id()
                + " has the id '"
                + Visible.cut(row.messageKey(), 60)
                + "' already; --id is for one that has none");
      }
    }
  }

  private static List<UUID> ids(Parking parking, Selection selection) {
    return parking.list(selection).stream().map(ParkedMessage::id).toList();
  }

  private static List<Deed> deeds(OrderOptions options, List<Parking.Done> done) {
    boolean filtered = options.filters().given();
    return done.stream().map(d -> ParkedView.deed(d, filtered)).toList();
  }

  private static Parking parking(DatabaseOptions database, SchemaOption schema) {
    return Semel.builder(database.reachable().dataSource()).schema(schema.name()).build().parking();
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
