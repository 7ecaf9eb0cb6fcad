package dev.semel.worker;

import dev.semel.Schema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which keys are imported, for whom. */
final class ImportOptions {

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TABLE",
      description = "The table with its schema, such as public.processed_messages.")
  private String from = "";

  @Option(
      names = "--consumer",
      required = true,
      paramLabel = "NAME",
      description = "The consumer to whom the keys belong.")
  private String consumer = "";

  @Option(
      names = "--id-column",
      paramLabel = "COLUMN",
      defaultValue = "message_id",
      description = "The column of the key (default: ${DEFAULT-VALUE}).")
  private String idColumn = "message_id";

  @Option(
      names = "--at-column",
      paramLabel = "COLUMN",
      description = "The column of the time of processing, if there is one.")
  private @Nullable String atColumn;

  Schema.Import toImport() {
    return new Schema.Import(from, idColumn, consumer, atColumn);
  }
}
