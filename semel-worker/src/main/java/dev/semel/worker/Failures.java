package dev.semel.worker;

import dev.semel.SemelException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says on stderr what went wrong: one line for each thing; a stack trace only where asked for. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {

  private final Context context;

  Failures(Context context) {
    this.context = context;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
    if (!isShuttingDown()) {
      say(text(e));
      trace(e);
    }
    return ExitStatus.NOT_ASKED;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    say(usage(e) + "; see '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'");
    trace(e);
    return ExitStatus.NOT_ASKED;
  }

  private static String text(Exception e) {
    if (e instanceof UserError || e instanceof SemelException) {
      return String.valueOf(e.getMessage());
    }
    if (e instanceof SQLException sql) {
      return "PostgreSQL said: " + DatabaseTrouble.plain(sql);
    }
    return "unexpected " + e + "; with SEMEL_DEBUG=1 in the environment the stack trace is shown";
  }

  /** Values of unknown options are not repeated: the option may have been meant for a password. */
  private static String usage(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(e.getMessage())
          .replaceFirst("^Invalid value for positional parameter at index \\S+ \\((\\S+)\\)", "$1");
    }
    String name = unmatched.getUnmatched().get(0).split("=", 2)[0];
    if (name.startsWith("--pass") || name.startsWith("--pw")) {
      return "there is no option "
          + name
          + ", because others can see a command line; put the password into SEMEL_JDBC_PASSWORD, or into a file for --password-file";
    }
    List<String> near = unmatched.getSuggestions();
    return "unknown "
        + (name.startsWith("-") ? "option" : "verb or argument")
        + " '"
        + name
        + "'"
        + (near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?");
  }

  private void say(String text) {
    // the server's own additions do not begin a line; a place in a statement that nobody sees is
    // none
    String folded =
        text.replaceFirst("^ERROR: ", "")
            .replaceAll("\\s*\\R\\s+Position: \\d+", "")
            .replaceAll("\\s*\\R\\s+(Detail|Hint|Where):", "; $1:");
    context.mask().apply(folded).lines().forEach(line -> context.err().println("semel: " + line));
    context.err().flush();
  }

  private void trace(Exception e) {
    if (context.debug()) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace, true));
      context.err().print(context.mask().apply(trace.toString()));
      context.err().flush();
    }
  }

  /** After Ctrl-C servers vanish under the verb's hands; that is nothing to complain about. */
  private static boolean isShuttingDown() {
    Thread probe = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
