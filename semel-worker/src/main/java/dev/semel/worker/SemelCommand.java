package dev.semel.worker;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command line. */
@Command(
    name = "semel",
    description = "The effect of each message, exactly once.",
    versionProvider = SemelCommand.Version.class,
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    subcommands = {
      DemoCommand.class,
      OutboxCommand.class,
      ParkedCommand.class,
      RelayCommand.class,
      SchemaCommand.class
    },
    footer = {"  semel demo", "  semel parked list --state dead", "  semel schema apply --help"})
final class SemelCommand implements Runnable {

  @Mixin private StandardHelp help = new StandardHelp();

  @Spec private CommandSpec spec = CommandSpec.create();

  static int run(Context context, String... args) {
    CommandLine line = new CommandLine(SemelCommand.class, new ContextFactory(context));
    ServiceLoader.load(Verb.class).forEach(verb -> line.addSubcommand(verb.command()));
    Failures failures = new Failures(context);
    return line.setOut(context.out())
        .setErr(context.err())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(failures)
        .setParameterExceptionHandler(failures)
        .execute(args);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no verb given");
  }

  /** The version as the build wrote it. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SemelCommand.class.getPackage().getImplementationVersion();
      return new String[] {"semel " + (version == null ? "(not packaged)" : version)};
    }
  }
}
