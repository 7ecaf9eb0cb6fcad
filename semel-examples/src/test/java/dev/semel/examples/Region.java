package dev.semel.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The lines of a source file between {@code // tag::name} and {@code // end::name}. */
final class Region {

  private static final Path EXAMPLES =
      Markdown.ROOT.resolve("semel-examples/src/main/java/dev/semel/examples");

  private Region() {}

  /** The region of an example, or why there is none. */
  static String of(String file, String name) {
    return of(EXAMPLES.resolve(file), name);
  }

  static String of(Path file, String name) {
    List<String> lines = linesOf(file);
    int from = only(file, lines, "// tag::" + name);
    int to = only(file, lines, "// end::" + name);
    return String.join("\n", unindented(lines.subList(from + 1, to)));
  }

  /** The names of all regions of all examples, as {@code File.java#name}. */
  static List<String> all() {
    List<String> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      for (Path file : files.sorted().toList()) {
        linesOf(file).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("// tag::"))
            .forEach(line -> all.add(file.getFileName() + "#" + line.substring(8)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  /** Without the indentation that all lines share, and without blank lines at both ends. */
  static List<String> unindented(List<String> lines) {
    int from = 0;
    int to = lines.size();
    while (from < to && lines.get(from).isBlank()) {
      from++;
    }
    while (to > from && lines.get(to - 1).isBlank()) {
      to--;
    }
    List<String> kept = lines.subList(from, to);
    int shared =
        kept.stream()
            .filter(line -> !line.isBlank())
            .mapToInt(line -> line.length() - line.stripLeading().length())
            .min()
            .orElse(0);
    return kept.stream().map(line -> line.isBlank() ? "" : line.substring(shared)).toList();
  }

  private static List<String> linesOf(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int only(Path file, List<String> lines, String mark) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(mark)) {
        found.add(i);
      }
    }
    if (found.size() != 1) {
      throw new IllegalStateException(
          file.getFileName() + " has '" + mark + "' " + found.size() + " times, not once");
    }
    return found.get(0);
  }
}
