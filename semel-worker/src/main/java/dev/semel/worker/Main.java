package dev.semel.worker;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

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
            System.out,
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            new Mask(),
            person());
    System.exit(SemelCommand.run(context, args));
  }

  private static Context.@Nullable Person person() {
    Console console = System.console();
    if (console == null || !isTerminal(console)) {
      return null;
    }
    return question -> {
      System.err.print(question);
      System.err.flush();
      return console.readLine();
    };
  }

  /** From Java 22 on there is a console without a terminal too; only then it can be asked. */
  private static boolean isTerminal(Console console) {
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
