package dev.semel.worker;

import dev.semel.worker.demo.Demo;
import dev.semel.worker.demo.DemoException;
import dev.semel.worker.demo.DemoResult;
import dev.semel.worker.demo.Plan;
import dev.semel.worker.demo.Progress;
import dev.semel.worker.demo.Servers;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the problem and the answer in a minute. */
@Command(
    name = "demo",
    description = {
      "Publishes payments, kills three kinds of workers with SIGKILL, and counts lost and doubled.",
      "Semel's also sends an event for each; the relays that let these out are killed as well.",
      "",
      "PostgreSQL and the broker are embedded, unless --jdbc and --amqp name others; there the demo"
          + " uses a queue and schemas of its own and deletes them. SEMEL_JDBC_URL and"
          + " SEMEL_AMQP_URI are not read, so that no demo lands on a server by accident."
    },
    footer = {"  semel demo", "  semel demo --messages 5000 --kills 12 --seed 7 --json"})
final class DemoCommand implements Callable<Integer> {

  /** Set by the script, which can tell. */
  private static final String TERMINAL = "semel.terminal";

  private static final int MESSAGES = 2_000;
  private static final int MESSAGES_ONE_AT_A_TIME = 200;
  private static final int LARGEST_SEED = 1_000_000;

  private final Context context;

  @Mixin private StandardHelp help = new StandardHelp();

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Payments (default: 2000; 200 with --one-at-a-time).")
  private @Nullable Integer messages;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "9",
      description = "Kills of each worker (default: ${DEFAULT-VALUE}).")
  private int kills;

  @Option(names = "--seed", paramLabel = "N", description = "Repeats a run (default: random).")
  private @Nullable Long seed;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  @Option(
      names = "--one-at-a-time",
      description = "Semel takes one message at a time and logs each step on stderr.")
  private boolean oneAtATime;

  @Mixin private BrokerOptions broker;

  @Option(
      names = "--broker-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port of the embedded broker (default: a free one).")
  private int brokerPort;

  @Mixin private DatabaseOptions database;

  @Option(
      names = "--database-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port of the embedded PostgreSQL (default: a free one).")
  private int databasePort;

  DemoCommand(Context context) {
    this.context = context;
    this.broker = new BrokerOptions(context);
    this.database = new DatabaseOptions(context);
  }

  @Override
  public Integer call() {
    try {
      return report(new Demo(plan(), servers(), progress()).play());
    } catch (DemoException e) {
      throw new UserError(String.valueOf(e.getMessage()), e);
    }
  }

  /** Prints what was found; the exit status. */
  int report(DemoResult result) {
    context.out().println(json ? result.json() : result.table());
    List<String> problems = result.problems();
    problems.forEach(each -> context.err().println("semel: " + each));
    if (problems.isEmpty() && !json) {
      context
          .out()
          .println(
              "Semel: every payment had its effect exactly once, and its event left under one id.");
    }
    return problems.isEmpty() ? ExitStatus.GOOD : ExitStatus.BAD;
  }

  private Plan plan() {
    int number = oneAtATime ? MESSAGES_ONE_AT_A_TIME : MESSAGES;
    return new Plan(
        messages != null ? messages : number,
        kills,
        seed != null ? seed : ThreadLocalRandom.current().nextInt(LARGEST_SEED),
        oneAtATime);
  }

  private Servers servers() {
    String amqpUri = broker.reachableIfGiven();
    Database given = database.reachableIfGiven();
    Servers.Login login =
        given == null ? null : new Servers.Login(given.url(), given.user(), given.password());
    return new Servers(amqpUri, checked(brokerPort), login, checked(databasePort));
  }

  private static int checked(int port) {
    if (port < 0 || port > 65_535) {
      throw new UserError("port " + port + " is not from 0 to 65535");
    }
    return port;
  }

  private Progress progress() {
    return new Progress(context.err(), Boolean.getBoolean(TERMINAL));
  }
}
