package dev.semel.worker;

import dev.semel.Outgoing;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A process that lets messages of the outbox out and does nothing else. */
@Command(
    name = "relay",
    description = {
      "Lets the messages of the outbox out to RabbitMQ until it is stopped.",
      "Any number of relays may run; they share the work."
    },
    exitCodeList = {StandardHelp.NOT_ASKED, StandardHelp.INTERRUPTED},
    footer = {
      "  semel relay --jdbc jdbc:postgresql://localhost:5432/shop --user shop \\",
      "      --amqp amqp://shop:secret@localhost:5672/shop"
    })
final class RelayCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private StandardHelp help = new StandardHelp();

  @Option(
      names = "--destination",
      paramLabel = "NAME",
      description = "The destination that this broker is (default: rabbitmq).")
  private String destination = Outgoing.DEFAULT_DESTINATION;

  @Mixin private DatabaseOptions database;
  @Mixin private BrokerOptions broker;
  @Mixin private SchemaOption schema = new SchemaOption();

  RelayCommand(Context context) {
    this.context = context;
    this.database = new DatabaseOptions(context);
    this.broker = new BrokerOptions(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Database reached = database.reachable();
    String uri = broker.reachable();
    Worker relay =
        Semel.builder(reached.dataSource())
            .schema(schema.name())
            .sender(destination, RabbitMq.sender(uri))
            .build()
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(relay::close, "semel-stop"));
    context.out().println("the relay of destination '" + destination + "' is at work");
    context.out().flush();
    new CountDownLatch(1).await();
    return ExitStatus.GOOD;
  }
}
