package dev.semel.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server process of ours. The kernel sends it a signal when this JVM dies, however it dies: that
 * is {@code setpriv --pdeathsig}, and because the kernel means the thread that started the process,
 * all are started by one thread that lives as long as the JVM.
 */
final class ServiceProcess {

  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(ServiceProcess::starterThread);

  private final Process process;
  private final String name;
  private final Path output;

  private ServiceProcess(Process process, String name, Path output) {
    this.process = process;
    this.name = name;
    this.output = output;
  }

  /**
   * How to start a process. Standard output is appended to {@code output}, standard error to {@code
   * errors}, which may be the same file.
   */
  record Spec(
      String name,
      List<String> command,
      Map<String, String> environment,
      Path directory,
      Path output,
      Path errors,
      @Nullable Account account,
      String deathSignal) {}

  static ServiceProcess start(Spec spec) throws IOException {
    List<String> command = new ArrayList<>(prefix(spec.account(), spec.deathSignal()));
    command.addAll(spec.command());
    ProcessBuilder builder = new ProcessBuilder(command).directory(spec.directory().toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(spec.output().toFile()));
    if (spec.errors().equals(spec.output())) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(ProcessBuilder.Redirect.appendTo(spec.errors().toFile()));
    }
    builder.environment().clear();
    builder.environment().putAll(spec.environment());
    return new ServiceProcess(onStarterThread(builder), spec.name(), spec.output());
  }

  /** Runs to its end a command that must succeed. */
  static void run(Spec spec, Duration limit) throws IOException {
    ServiceProcess process = start(spec);
    if (!process.awaitExit(limit)) {
      process.killTree();
      throw new IOException(
          spec.name() + " did not end within " + limit.toSeconds() + " s\n" + process.outputTail());
    }
    if (process.process.exitValue() != 0) {
      throw new IOException(
          spec.name() + " ended with " + process.process.exitValue() + "\n" + process.outputTail());
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(
          name + " ended with " + process.exitValue() + " while starting\n" + outputTail());
    }
  }

  /** Sends a signal by its name without SIG; does nothing when the process has ended. */
  void signal(String signal) {
    try {
      if (process.isAlive()) {
        Signals.send(process.pid(), signal);
      }
    } catch (IllegalStateException e) {
      if (process.isAlive()) {
        throw e;
      }
    }
  }

  /** The exit code; 128 and the number of the signal for a process that a signal ended. */
  int exitCode() {
    return process.exitValue();
  }

  boolean awaitExit(Duration limit) {
    try {
      return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * SIGKILL to the process and all its descendants, and waits until they are gone. The process
   * stands still meanwhile, so that it starts no more children, and none of them has time to
   * notice, and to tell its client, what is going on.
   */
  void killTree() {
    signal("STOP");
    List<ProcessHandle> tree = process.descendants().toList();
    tree.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    // Not by onExit(), which needs the common pool, and may wait for a thread that waits for us.
    Await.until(
        "the end of " + name + " and its children",
        Duration.ofSeconds(10),
        () -> !process.isAlive() && tree.stream().allMatch(Signals::isGone));
  }

  String outputTail() {
    return "--- end of " + output.getFileName() + "\n" + tail(output);
  }

  static String tail(Path file) {
    try {
      String text = Files.exists(file) ? Files.readString(file) : "";
      return text.substring(Math.max(0, text.length() - 4_000));
    } catch (IOException e) {
      throw new UncheckedIOException("could not read " + file, e);
    }
  }

  private static List<String> prefix(@Nullable Account account, String deathSignal) {
    Path setpriv = Executable.find("setpriv");
    if (account != null) {
      if (setpriv == null) {
        throw new IllegalStateException(
            "tests run as root and setpriv is missing; remedy: apt-get install util-linux, or run the tests as an ordinary user");
      }
      return List.of(
          setpriv.toString(),
          "--reuid",
          account.user().getName(),
          "--regid",
          account.group().getName(),
          "--clear-groups",
          "--pdeathsig",
          deathSignal,
          "--");
    }
    return setpriv == null
        ? List.of()
        : List.of(setpriv.toString(), "--pdeathsig", deathSignal, "--");
  }

  private static Process onStarterThread(ProcessBuilder builder) throws IOException {
    try {
      return CompletableFuture.supplyAsync(() -> startUnchecked(builder), STARTER).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof UncheckedIOException io
          ? io.getCause()
          : new IOException("could not start " + builder.command(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting " + builder.command(), e);
    }
  }

  private static Process startUnchecked(ProcessBuilder builder) {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Thread starterThread(Runnable work) {
    Thread thread = new Thread(work, "semel-testkit-starter");
    thread.setDaemon(true);
    return thread;
  }
}
