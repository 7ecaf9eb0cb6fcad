package dev.semel.worker;

import picocli.CommandLine.Option;

/** In which database schema Semel's tables are. */
final class SchemaOption {

  @Option(
      names = "--schema",
      paramLabel = "S",
      defaultValue = "semel",
      description = "The database schema of Semel's tables (default: ${DEFAULT-VALUE}).")
  private String name = "semel";

  String name() {
    return name;
  }
}
