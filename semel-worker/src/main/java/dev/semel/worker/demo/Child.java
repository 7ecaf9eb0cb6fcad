package dev.semel.worker.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own with one main class of this module. It talks to us in lines on its standard
 * output, and ends when its standard input does, so it cannot outlive us.
 */
final class Child implements AutoCloseable {

  /** What a process ended by SIGKILL has as its exit status. */
  static final int KILLED = 137;

  private static final String END = "\0";
  private static final int TAIL = 1_000;
  private static final Pattern STACK_FRAME = Pattern.compile("(?m)^\\s+(at |\\.\\.\\. ).*\\R");
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);

  private final Process process;
  private final Path log;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private Child(Process process, Path log) {
    this.process = process;
    this.log = log;
    Thread reader = new Thread(this::read, "semel-demo-child-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** What to start. Secrets go into the environment, since others can see a command line. */
  record Spec(
      Class<?> main,
      List<String> jvmOptions,
      List<String> args,
      Map<String, String> environment,
      Path log,
      boolean showLog) {}

  static Child start(Spec spec) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // soon up, small, and nothing left in the temporary directory after a SIGKILL
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
    command.addAll(spec.jvmOptions());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), spec.main().getName()));
    command.addAll(spec.args());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(spec.environment());
    File file = spec.log().toFile();
    builder.redirectError(spec.showLog() ? Redirect.INHERIT : Redirect.appendTo(file));
    return new Child(builder.start(), spec.log());
  }

  /** The next line of its output; null if there is none within the limit, or it has ended. */
  @Nullable String line(Duration limit) {
    try {
      String line = lines.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (END.equals(line)) {
        lines.add(END);
        return null;
      }
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Asks it to end in peace. */
  void stop() {
    try {
      process.getOutputStream().write("stop\n".getBytes(StandardCharsets.US_ASCII));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the child has ended already", e);
    }
  }

  /** Sends SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  /** Waits for its end; the exit status. */
  int exitStatus() {
    try {
      if (!process.waitFor(EXIT_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new DemoException("a child process does not end\n" + logTail());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", e);
    }
  }

  /** The end of what it logged, without stack frames. */
  String logTail() {
    try {
      String text = Files.exists(log) ? Files.readString(log) : "";
      String plain = STACK_FRAME.matcher(text).replaceAll("");
      return plain.substring(Math.max(0, plain.length() - TAIL)).strip();
    } catch (IOException e) {
      return "(its log cannot be read: " + e.getMessage() + ")";
    }
  }

  @Override
  public void close() {
    kill();
    process.onExit().join();
  }

  private void read() {
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // it was killed in the middle of a line: that is its end too
      lines.add(END);
      return;
    }
    lines.add(END);
  }
}
