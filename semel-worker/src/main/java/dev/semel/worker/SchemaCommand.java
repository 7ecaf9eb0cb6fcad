package dev.semel.worker;

import dev.semel.Schema;
import dev.semel.Semel;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints, makes and checks the tables. */
@Command(
    name = "schema",
    description = "Prints, applies and validates Semel's tables.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = "  semel schema print --grants app > grants.sql")
final class SchemaCommand implements Runnable {

  private final Context context;

  @Mixin private StandardHelp help = new StandardHelp();

  @Spec private CommandSpec spec = CommandSpec.create();

  SchemaCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no verb given");
  }

  @Command(
      description = "Prints the SQL that makes the tables; needs no database.",
      footer = "  semel schema print > semel.sql")
  int print(
      @Mixin StandardHelp standard,
      @Mixin SchemaOption schema,
      @Option(
              names = "--grants",
              paramLabel = "ROLE",
              description = "Print the rights that the runtime role needs instead.")
          @Nullable String role) {
    Schema tables = tables(new PGSimpleDataSource(), schema);
    context.out().println((role == null ? tables.sql() : tables.grants(role)).stripTrailing());
    return ExitStatus.GOOD;
  }

  @Command(
      description = "Applies the scripts that are missing, as the owner; never drops anything.",
      footer =
          "  semel schema apply --jdbc jdbc:postgresql://localhost:5432/shop --user shop_owner")
  int apply(
      @Mixin StandardHelp standard, @Mixin DatabaseOptions database, @Mixin SchemaOption schema) {
    List<Integer> applied = tables(database.reachable().dataSource(), schema).apply();
    context
        .out()
        .println(
            applied.isEmpty()
                ? "nothing to do: schema " + schema.name() + " is up to date"
                : "applied to schema " + schema.name() + ": " + applied);
    return ExitStatus.GOOD;
  }

  @Command(
      description = "Says what is wrong with the tables, if anything (exit status 1).",
      footer = "  semel schema validate --jdbc jdbc:postgresql://localhost:5432/shop --user shop")
  int validate(
      @Mixin StandardHelp standard, @Mixin DatabaseOptions database, @Mixin SchemaOption schema) {
    List<String> problems = tables(database.reachable().dataSource(), schema).problems();
    problems.forEach(context.out()::println);
    if (problems.isEmpty()) {
      context.out().println("schema " + schema.name() + " is good");
    }
    return problems.isEmpty() ? ExitStatus.GOOD : ExitStatus.BAD;
  }

  @Command(
      description = {
        "Says what this database is after it was restored, copied or moved from another cluster;",
        "until then workers refuse to start."
      },
      footer = {
        "  semel schema adopt --copied --reason 'staging, restored from the nightly dump' \\",
        "      --jdbc jdbc:postgresql://staging:5432/shop --user shop_owner"
      })
  int adopt(
      @Mixin StandardHelp standard,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema,
      @ArgGroup(multiplicity = "1") AdoptionChoice choice,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "TEXT",
              description = "Why, for the audit.")
          String reason) {
    Schema.Adoption how = choice.adoption();
    tables(database.reachable().dataSource(), schema).adopt(how, who(), reason);
    context.out().println("adopted as " + how.name().toLowerCase(java.util.Locale.ROOT));
    return ExitStatus.GOOD;
  }

  @Command(
      name = "import",
      description = {
        "Takes over the keys of a hand-written table of processed messages. May be repeated:",
        "keys that are there already are left alone."
      },
      footer = {
        "  semel schema import --from public.processed_messages --consumer payments \\",
        "      --jdbc jdbc:postgresql://localhost:5432/shop --user shop_owner"
      })
  int importKeys(
      @Mixin StandardHelp standard,
      @Mixin DatabaseOptions database,
      @Mixin SchemaOption schema,
      @Mixin ImportOptions from) {
    long imported =
        tables(database.reachable().dataSource(), schema).importKeys(from.toImport(), who());
    context.out().println("imported keys that were new: " + imported);
    return ExitStatus.GOOD;
  }

  private static Schema tables(DataSource source, SchemaOption schema) {
    return Semel.builder(source).schema(schema.name()).build().schema();
  }

  private static String who() {
    return System.getProperty("user.name");
  }
}
