package dev.semel.worker;

import dev.semel.Parking;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a replay may do beyond the usual. */
final class ReplayOptions {

  @Option(
      names = "--again",
      description = "Also where the key is processed: the effect happens once more.")
  private boolean again;

  @Option(
      names = "--as-new",
      description = "Also if it is too old to be proved new: it may have been applied before.")
  private boolean asNew;

  @Option(
      names = "--id",
      paramLabel = "KEY",
      description = "The id for one message that has none; copies that come with it are known.")
  private @Nullable String id;

  @Nullable String id() {
    return id;
  }

  Parking.Replay toReplay() {
    return new Parking.Replay(again, asNew, id);
  }
}
