package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Signals to processes by their id. */
final class Signals {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private static final Path PROCESSES = Path.of("/proc");

  private Signals() {}

  /**
   * Sends the signal (its name without SIG) through the shell's own kill, which every machine has.
   */
  static void send(long pid, String signal) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
              .redirectErrorStream(true)
              .start();
      kill.getOutputStream().close();
      String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!kill.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException(
            "could not send SIG" + signal + " to process " + pid + ": " + said.strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("could not send SIG" + signal + " to process " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "interrupted while sending SIG" + signal + " to process " + pid, e);
    }
  }

  /**
   * True also for a zombie: where process 1 does not collect orphans they stay listed for ever, but
   * run no more.
   */
  static boolean isGone(ProcessHandle handle) {
    return !handle.isAlive() || state(PROCESSES.resolve(Long.toString(handle.pid()))) == 'Z';
  }

  /** Whether every thread of the process has obeyed a SIGSTOP. */
  static boolean standsStill(long pid) throws IOException {
    try (Stream<Path> threads = Files.list(PROCESSES.resolve(Long.toString(pid)).resolve("task"))) {
      return threads.allMatch(thread -> state(thread) == 'T');
    }
  }

  /**
   * The one-letter state of the kernel's process list (R, S, T, Z, ...), or Z for what is not
   * listed.
   */
  private static char state(Path listed) {
    try {
      String stat = Files.readString(listed.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return 'Z';
    }
  }
}
