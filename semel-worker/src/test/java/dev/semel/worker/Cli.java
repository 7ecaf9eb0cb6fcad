package dev.semel.worker;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command line without a process of its own. */
record Cli(int status, byte[] bytes, String err) {

  static Cli run(String... args) {
    return run(Map.of(), args);
  }

  static Cli run(Map<String, String> environment, String... args) {
    return run(environment, null, args);
  }

  /** With somebody at the terminal. */
  static Cli run(Map<String, String> environment, Context.@Nullable Person person, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    int status =
        SemelCommand.run(
            new Context(
                environment,
                new PrintWriter(out, true, StandardCharsets.UTF_8),
                out,
                new PrintWriter(err),
                new Mask(),
                person),
            args);
    return new Cli(status, out.toByteArray(), err.toString());
  }

  String out() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The one line on stderr that a user's mistake gets. */
  String complaint() {
    if (status != ExitStatus.NOT_ASKED || bytes.length > 0) {
      throw new AssertionError("not refused: " + status + " " + out() + err);
    }
    if (!err.startsWith("semel: ") || err.strip().lines().count() != 1) {
      throw new AssertionError("not one line that begins with semel: " + err);
    }
    return err.strip();
  }
}
