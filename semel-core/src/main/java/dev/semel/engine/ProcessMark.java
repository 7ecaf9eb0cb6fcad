package dev.semel.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which process this is, so that a worker that starts on the same machine can see at once that its
 * predecessor has ended. Exact, or not there at all: boot of the kernel, name space of process ids,
 * process id and start time of the process, as Linux tells them in {@code /proc}.
 */
final class ProcessMark {

  private static final Path PROC = Path.of("/proc");
  private static final int START_TIME = 19; // after the name in brackets; proc(5), field 22
  private static final int STATE = 0;

  private ProcessMark() {}

  /** The part that all processes have which can see each other; null if that cannot be told. */
  static @Nullable String ofMachine() {
    try {
      String boot = Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
      Path names = Files.readSymbolicLink(PROC.resolve("self/ns/pid"));
      return boot + "/" + names + "/";
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  static @Nullable String ofThisProcess() {
    String machine = ofMachine();
    long pid = ProcessHandle.current().pid();
    String[] stat = stat(pid);
    return machine == null || stat == null ? null : machine + pid + "/" + stat[START_TIME];
  }

  /** Whether a process of this machine does not run any more; a zombie does not. */
  static boolean hasEnded(String mark) {
    String[] parts = mark.split("/");
    long pid;
    try {
      pid = Long.parseLong(parts[parts.length - 2]);
    } catch (RuntimeException e) {
      return false;
    }
    if (!Files.exists(PROC.resolve("1"))) {
      // Processes of others are hidden here, or there is no such directory: absence says nothing.
      return false;
    }
    String[] stat = stat(pid);
    return stat == null
        ? !Files.exists(PROC.resolve(Long.toString(pid)))
        : stat[STATE].equals("Z") || !stat[START_TIME].equals(parts[parts.length - 1]);
  }

  private static String @Nullable [] stat(long pid) {
    try {
      String line = Files.readString(PROC.resolve(pid + "/stat"));
      return line.substring(line.lastIndexOf(')') + 2).split(" ");
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }
}
