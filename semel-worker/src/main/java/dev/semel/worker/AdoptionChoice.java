package dev.semel.worker;

import dev.semel.Schema.Adoption;
import picocli.CommandLine.Option;

/** One of two: the database was moved, or copied. */
final class AdoptionChoice {

  @Option(
      names = "--moved",
      required = true,
      description = "It took the original's place: the installation id stays.")
  private boolean moved;

  @Option(
      names = "--copied",
      required = true,
      description = "The original goes on elsewhere: this one gets a new installation id.")
  private boolean copied;

  Adoption adoption() {
    return moved ? Adoption.MOVED : Adoption.COPIED;
  }
}
