package dev.semel.worker;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** The command line without a process of its own. */
record Cli(int status, String out, String err) {

  static Cli run(String... args) {
    return run(Map.of(), args);
  }

  static Cli run(Map<String, String> environment, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        SemelCommand.run(
            new Context(environment, new PrintWriter(out), new PrintWriter(err), new Mask()), args);
    return new Cli(status, out.toString(), err.toString());
  }

  /** The one line on stderr that a user's mistake gets. */
  String complaint() {
    if (status != ExitStatus.NOT_ASKED || !out.isEmpty()) {
      throw new AssertionError("not refused: " + this);
    }
    if (!err.startsWith("semel: ") || err.strip().lines().count() != 1) {
      throw new AssertionError("not one line that begins with semel: " + this);
    }
    return err.strip();
  }
}
