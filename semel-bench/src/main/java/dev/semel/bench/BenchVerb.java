package dev.semel.bench;

import dev.semel.worker.Verb;

/** Brings the verb {@code bench} to the command line. */
public final class BenchVerb implements Verb {

  /** Made by the service loader. */
  public BenchVerb() {}

  @Override
  public Object command() {
    return new BenchCommand();
  }
}
