package dev.semel.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds programs. An ordinary user's PATH often lacks the directories for system programs, so their
 * siblings are searched too.
 */
final class Executable {

  private Executable() {}

  static @Nullable Path find(String name) {
    for (Path directory : directories()) {
      Path candidate = directory.resolve(name);
      if (Files.isExecutable(candidate) && Files.isRegularFile(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  private static List<Path> directories() {
    List<Path> found = new ArrayList<>();
    for (String entry : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      if (!entry.isEmpty()) {
        found.add(Path.of(entry).toAbsolutePath());
      }
    }
    for (Path each : List.copyOf(found)) {
      found.add(each.resolveSibling("sbin"));
    }
    return found;
  }
}
