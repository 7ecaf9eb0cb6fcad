package dev.semel.worker;

import picocli.CommandLine.Option;

/** For programs. */
final class JsonOption {

  @Option(names = "--json", description = "Print one JSON value instead of text.")
  private boolean json;

  boolean given() {
    return json;
  }
}
