package dev.semel.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation, as far as the tests read it. */
record Markdown(Path file, List<String> lines) {

  static final Path ROOT = Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();

  private static final Pattern MARK = Pattern.compile("<!-- example: (\\S+\\.java)#(\\S+) -->");
  private static final String FENCE = "```";

  /** A block of Java; {@code mark} is the last line before it that is not blank. */
  record JavaBlock(String where, String mark, String text) {

    boolean isTagged() {
      return MARK.matcher(mark).matches();
    }

    String sourceFile() {
      return group(1);
    }

    String region() {
      return group(2);
    }

    private String group(int group) {
      Matcher matcher = MARK.matcher(mark);
      if (!matcher.matches()) {
        throw new IllegalStateException(where + " is not tagged");
      }
      return matcher.group(group);
    }

    @Override
    public String toString() {
      return where;
    }
  }

  /** All pages of the repository that people read: those of the root and of docs. */
  static List<Markdown> pages() {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .map(Markdown::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Markdown read(Path file) {
    try {
      return new Markdown(file, Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<JavaBlock> javaBlocks() {
    List<JavaBlock> blocks = new ArrayList<>();
    String mark = "";
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.startsWith(FENCE)) {
        int end = i + 1;
        while (end < lines.size() && !lines.get(end).strip().equals(FENCE)) {
          end++;
        }
        if (line.substring(FENCE.length()).strip().toLowerCase().startsWith("java")) {
          List<String> text = Region.unindented(lines.subList(i + 1, end));
          blocks.add(new JavaBlock(name() + ":" + (i + 1), mark, String.join("\n", text)));
        }
        i = end;
        mark = "";
      } else if (!line.isEmpty()) {
        mark = line;
      }
    }
    return blocks;
  }

  String name() {
    return ROOT.relativize(file).toString();
  }
}
