package dev.semel.worker;

/** What the command's exit status says. */
final class ExitStatus {

  static final int GOOD = 0;

  /** The question was answered, and the answer is bad. */
  static final int BAD = 1;

  /** The question could not be asked. */
  static final int NOT_ASKED = 2;

  private ExitStatus() {}
}
