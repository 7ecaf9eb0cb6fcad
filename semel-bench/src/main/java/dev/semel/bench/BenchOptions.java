package dev.semel.bench;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every bench can be told. */
final class BenchOptions {

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "" + Plan.ROUNDS,
      description = "How often each contender runs (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--amqp",
      paramLabel = "URI",
      description = "The broker, amqp[s]://USER:PASSWORD@HOST:PORT/VHOST.")
  private @Nullable String amqpUri;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  int rounds() {
    return rounds;
  }

  @Nullable String amqpUri() {
    return amqpUri;
  }

  boolean json() {
    return json;
  }
}
