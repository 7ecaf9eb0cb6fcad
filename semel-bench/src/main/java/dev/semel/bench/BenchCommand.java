package dev.semel.bench;

import dev.semel.worker.StandardHelp;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures, and compares with what people write by hand. */
@Command(
    name = "bench",
    description = "Measures Semel beside hand-written loops.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = "  semel bench inbox")
final class BenchCommand implements Callable<Integer> {

  private static final int GOOD = 0;
  private static final int BAD = 1;
  private static final int NOT_ASKED = 2;

  @Mixin private StandardHelp help = new StandardHelp();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "no verb given");
  }

  @Command(
      description = {
        "How many messages a second become effects: hand-written loops and Semel, in turn.",
        "",
        "Each runs in a JVM of its own, on the same PostgreSQL (started for the bench, durable) and"
            + " the same RabbitMQ (the distribution's, started for the bench, unless --amqp names a"
            + " broker; there the bench uses queues of its own and deletes them). Takes some"
            + " minutes; a goal that is missed gives exit status 1."
      },
      footer = {"  semel bench inbox", "  semel bench inbox --rounds 5 --only bd --json"})
  int inbox(
      @Mixin StandardHelp standard,
      @Option(
              names = "--messages",
              paramLabel = "N",
              defaultValue = "" + Plan.MESSAGES,
              description = "Messages in each queue (default: ${DEFAULT-VALUE}).")
          int messages,
      @Option(
              names = "--rounds",
              paramLabel = "N",
              defaultValue = "" + Plan.ROUNDS,
              description = "How often each contender runs (default: ${DEFAULT-VALUE}).")
          int rounds,
      @Option(
              names = "--only",
              paramLabel = "LETTERS",
              defaultValue = "abcde",
              description = "The contenders that run (default: ${DEFAULT-VALUE}).")
          String only,
      @Option(
              names = "--amqp",
              paramLabel = "URI",
              description = "The broker, amqp[s]://USER:PASSWORD@HOST:PORT/VHOST.")
          @Nullable String amqpUri,
      @Option(names = "--json", description = "Print one JSON object instead of a table.")
          boolean json) {
    Plan plan;
    try {
      plan = new Plan(messages, rounds, amqpUri, Contender.of(only));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter err = spec.commandLine().getErr();
    try {
      BenchResult result = new InboxBench(plan, err::println).play();
      spec.commandLine().getOut().println(json ? result.json() : result.table());
      List<String> problems = result.problems();
      problems.forEach(each -> err.println("semel: " + each));
      return problems.isEmpty() ? GOOD : BAD;
    } catch (BenchException e) {
      err.println("semel: " + e.getMessage());
      return NOT_ASKED;
    }
  }
}
