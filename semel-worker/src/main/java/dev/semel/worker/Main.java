package dev.semel.worker;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The command {@code semel}. */
public final class Main {

  private Main() {}

  /**
   * Runs one verb and ends the JVM with its exit status.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    Context context =
        new Context(
            System.getenv(),
            new PrintWriter(System.out, true, StandardCharsets.UTF_8),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            new Mask());
    System.exit(SemelCommand.run(context, args));
  }
}
