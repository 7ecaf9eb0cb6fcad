package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own with this JVM's Java and class path, to be killed, stopped and looked at from
 * outside. It ends with this JVM, however this JVM ends. Its output goes to files, so that it never
 * waits for a reader.
 */
public final class ChildJvm implements AutoCloseable {

  private static final int TAIL_LINES = 60;

  private final String name;
  private final TempDir temporary;
  private final ServiceProcess process;
  private final TailedFile output;
  private final TailedFile errors;
  private final Runnable atExit = this::close;
  private boolean closed;

  private ChildJvm(Builder builder) throws IOException {
    this.name = builder.name;
    this.temporary = TempDir.create("child");
    Path out = temporary.path().resolve("out");
    Path err = temporary.path().resolve("err");
    this.output = new TailedFile(out);
    this.errors = new TailedFile(err);
    Path arguments = temporary.path().resolve("arguments");
    Files.write(arguments, builder.arguments());
    Map<String, String> environment = new LinkedHashMap<>(System.getenv());
    environment.putAll(builder.environment);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ServiceProcess.Spec spec =
        new ServiceProcess.Spec(
            name,
            List.of(java, "@" + arguments),
            environment,
            Path.of("").toAbsolutePath(),
            out,
            err,
            null,
            "KILL");
    try {
      this.process = ServiceProcess.start(spec);
    } catch (IOException | RuntimeException e) {
      temporary.close();
      throw e;
    }
    AtExit.add(atExit);
  }

  /**
   * Starts to describe a child.
   *
   * @param main the class whose main method it runs
   * @return a builder whose child has no arguments, this JVM's environment, and a heap of at most
   *     128 MiB
   */
  public static Builder builder(Class<?> main) {
    return builder(main.getName());
  }

  /**
   * Starts to describe a child.
   *
   * @param main binary name of the class whose main method it runs
   * @return a builder whose child has no arguments, this JVM's environment, and a heap of at most
   *     128 MiB
   */
  public static Builder builder(String main) {
    return new Builder(main);
  }

  /** What a child shall be like. */
  public static final class Builder {
    private final String main;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> args = new ArrayList<>();
    private String heap = "128m";
    private String name;

    private Builder(String main) {
      this.main = main;
      this.name = main.substring(main.lastIndexOf('.') + 1);
    }

    /**
     * Appends arguments of main.
     *
     * @param more any text but line breaks
     * @return this builder
     */
    public Builder args(String... more) {
      args.addAll(List.of(more));
      return this;
    }

    /**
     * Adds a variable to the environment that is otherwise this JVM's.
     *
     * @param variable its name
     * @param value its value
     * @return this builder
     */
    public Builder env(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    /**
     * Sets a system property.
     *
     * @param key its name
     * @param value its value
     * @return this builder
     */
    public Builder property(String key, String value) {
      properties.put(key, value);
      return this;
    }

    /**
     * Appends options of the JVM itself.
     *
     * @param more for example {@code -Xss512k}
     * @return this builder
     */
    public Builder jvmOptions(String... more) {
      options.addAll(List.of(more));
      return this;
    }

    /**
     * Limits the heap.
     *
     * @param limit as after -Xmx, for example {@code 64m}
     * @return this builder
     */
    public Builder heap(String limit) {
      this.heap = limit;
      return this;
    }

    /**
     * Names the child in messages.
     *
     * @param text by default the simple name of the main class
     * @return this builder
     */
    public Builder name(String text) {
      this.name = text;
      return this;
    }

    /**
     * Starts the child; it may not have reached main yet.
     *
     * @return the started child
     * @throws IOException when it cannot be started
     */
    public ChildJvm start() throws IOException {
      return new ChildJvm(this);
    }

    /**
     * Everything after the program's name, one quoted argument a line, so that no class path is too
     * long for a command line.
     */
    private List<String> arguments() {
      List<String> all = new ArrayList<>();
      all.add("-Xmx" + heap);
      all.add("-XX:TieredStopAtLevel=1");
      all.add("-XX:+UseSerialGC");
      all.addAll(options);
      properties.forEach((key, value) -> all.add("-D" + key + "=" + value));
      all.add("-cp");
      all.add(System.getProperty("java.class.path"));
      all.add(main);
      all.addAll(args);
      return all.stream().map(Builder::quoted).toList();
    }

    private static String quoted(String argument) {
      if (argument.indexOf('\n') >= 0 || argument.indexOf('\r') >= 0) {
        throw new IllegalArgumentException("an argument must not hold a line break: " + argument);
      }
      return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
  }

  /**
   * The process id.
   *
   * @return the id, also after the end
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Whether the child has not ended.
   *
   * @return true also while it is stopped by {@link #stop()}
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Waits for a line of its output.
   *
   * @param regex found anywhere in a line, of standard output or standard error, printed before or
   *     after this call
   * @param deadline how long to wait at most
   * @return the whole first such line, of standard output if both have one
   * @throws AssertionError when the deadline passes, or the child ends, without such a line; the
   *     message holds the end of its output
   */
  public String awaitLine(String regex, Duration deadline) {
    Pattern pattern = Pattern.compile(regex);
    try {
      Await.until(
          "a line like " + regex, deadline, () -> !process.isAlive() || find(pattern) != null);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + tail(), e);
    }
    String line = finalLine(pattern);
    if (line == null) {
      throw new AssertionError(
          name
              + " ended with "
              + process.exitCode()
              + " and printed no line like "
              + regex
              + "\n"
              + tail());
    }
    return line;
  }

  /**
   * Waits for the end.
   *
   * @param deadline how long to wait at most
   * @return the exit code; after a signal 128 and its number, 137 after {@link #kill()}
   * @throws AssertionError when the child is still there after the deadline; the message holds the
   *     end of its output
   */
  public int waitForExit(Duration deadline) {
    if (!process.awaitExit(deadline)) {
      throw new AssertionError(
          name + " did not end within " + deadline.toMillis() + " ms\n" + tail());
    }
    return process.exitCode();
  }

  /** SIGKILL: the child ends at once and can do nothing about it. Does not wait. */
  public void kill() {
    process.signal("KILL");
  }

  /** SIGTERM: the child runs its shutdown hooks. Does not wait. */
  public void terminate() {
    process.signal("TERM");
  }

  /**
   * SIGSTOP: the child does nothing until {@link #cont()}, while its connections stay open. Returns
   * when it stands still.
   */
  public void stop() {
    process.signal("STOP");
    Await.until(name + " to stand still", Duration.ofSeconds(10), () -> Signals.standsStill(pid()));
  }

  /** SIGCONT: the child goes on. */
  public void cont() {
    process.signal("CONT");
  }

  /**
   * The complete lines of standard output so far.
   *
   * @return the lines in order
   * @throws IOException when the file cannot be read
   */
  public List<String> output() throws IOException {
    return output.lines();
  }

  /**
   * The complete lines of standard error so far.
   *
   * @return the lines in order
   * @throws IOException when the file cannot be read
   */
  public List<String> errors() throws IOException {
    return errors.lines();
  }

  /**
   * Kills the child if it is alive, waits for its end, and removes its files. Further calls do
   * nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    AtExit.remove(atExit);
    process.killTree();
    temporary.close();
  }

  private @Nullable String finalLine(Pattern pattern) {
    try {
      return find(pattern);
    } catch (IOException e) {
      throw new UncheckedIOException("could not read the output of " + name, e);
    }
  }

  private @Nullable String find(Pattern pattern) throws IOException {
    String found = output.first(pattern);
    return found != null ? found : errors.first(pattern);
  }

  private String tail() {
    return "--- end of the output of "
        + name
        + "\n"
        + output.tail(TAIL_LINES)
        + "\n--- end of its errors\n"
        + errors.tail(TAIL_LINES);
  }
}
