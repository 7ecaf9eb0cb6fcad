package dev.semel.bench;

import dev.semel.worker.StandardHelp;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures, and compares: with what people write by hand, or with itself under a burden. */
@Command(
    name = "bench",
    description = "Measures Semel, beside hand-written loops and under burdens of its own.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = {"  semel bench inbox", "  semel bench redelivery", "  semel bench parked"})
final class BenchCommand implements Callable<Integer> {

  private static final int GOOD = 0;
  private static final int BAD = 1;
  private static final int NOT_ASKED = 2;

  private static final String MESSAGES = "Messages in each queue (default: ${DEFAULT-VALUE}).";

  private static final String WHERE =
      "Each runs in a JVM of its own, on the same PostgreSQL (started for the bench, durable) and"
          + " the same RabbitMQ (the distribution's, started for the bench, unless --amqp names a"
          + " broker; there the bench uses queues of its own and deletes them). Takes some"
          + " minutes; a goal that is missed gives exit status 1.";

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
        WHERE
      },
      footer = {"  semel bench inbox", "  semel bench inbox --rounds 5 --only bd --json"})
  int inbox(
      @Mixin StandardHelp standard,
      @Option(
              names = "--messages",
              paramLabel = "N",
              defaultValue = "" + InboxBench.MESSAGES,
              description = MESSAGES)
          int messages,
      @Option(
              names = "--only",
              paramLabel = "LETTERS",
              defaultValue = "abcde",
              description = "The contenders that run (default: ${DEFAULT-VALUE}).")
          String only,
      @Mixin BenchOptions options) {
    return run(
        () -> InboxBench.plan(messages, options.rounds(), options.amqpUri(), only), options.json());
  }

  @Command(
      description = {
        "How fast Semel is when every message comes flagged as redelivered, as after a crash.",
        "",
        "A backlog of first deliveries and a flagged one, in turn.",
        "",
        WHERE
      },
      footer = {"  semel bench redelivery", "  semel bench redelivery --messages 50000 --json"})
  int redelivery(
      @Mixin StandardHelp standard,
      @Option(
              names = "--messages",
              paramLabel = "N",
              defaultValue = "" + RedeliveryBench.MESSAGES,
              description = MESSAGES)
          int messages,
      @Mixin BenchOptions options) {
    return run(
        () -> RedeliveryBench.plan(messages, options.rounds(), options.amqpUri()), options.json());
  }

  @Command(
      description = {
        "How fast Semel is beside many parked messages of the same consumer.",
        "",
        "With none and with many, in turn: half of them dead, half of them waiting and not due."
            + " parkedLimit is raised, so that they do not stop the intake.",
        "",
        WHERE
      },
      footer = {"  semel bench parked", "  semel bench parked --parked 1000000 --json"})
  int parked(
      @Mixin StandardHelp standard,
      @Option(
              names = "--messages",
              paramLabel = "N",
              defaultValue = "" + ParkedBench.MESSAGES,
              description = MESSAGES)
          int messages,
      @Option(
              names = "--parked",
              paramLabel = "N",
              defaultValue = "" + ParkedBench.PARKED,
              description = "Messages that are parked (default: ${DEFAULT-VALUE}).")
          int parked,
      @Mixin BenchOptions options) {
    return run(
        () -> ParkedBench.plan(messages, parked, options.rounds(), options.amqpUri()),
        options.json());
  }

  private int run(Supplier<Plan> planned, boolean json) {
    Plan plan;
    try {
      plan = planned.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter err = spec.commandLine().getErr();
    try {
      BenchResult result = new Bench(plan, err::println).play();
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
