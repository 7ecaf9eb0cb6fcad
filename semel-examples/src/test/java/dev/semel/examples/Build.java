package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Maven builds that leave nothing behind: they see the local repository of this build, all but its
 * {@code dev.semel}, which is a directory of their own.
 */
final class Build {

  private static final Set<String> LEFT_OUT = Set.of("target", ".git", ".semel");
  private static final long LIMIT_MINUTES = 10;

  private final Path directory;
  private final Path repository;

  private Build(Path directory) {
    this.directory = directory;
    this.repository = directory.resolve("repository");
  }

  /** In a directory below target that is new now. */
  static Build in(Path directory) throws IOException {
    deleteTree(directory);
    Build build = new Build(Files.createDirectories(directory));
    build.linkRepository(Path.of(System.getProperty("localRepository")));
    return build;
  }

  private void linkRepository(Path real) throws IOException {
    Files.createDirectories(repository.resolve("dev/semel"));
    link(real, repository, "dev");
    link(real.resolve("dev"), repository.resolve("dev"), "semel");
  }

  private static void link(Path from, Path to, String except) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> children = Files.list(from)) {
      for (Path child : children.filter(c -> !c.endsWith(except)).toList()) {
        Files.createSymbolicLink(to.resolve(child.getFileName()), child);
      }
    }
  }

  Path directory() {
    return directory;
  }

  /** Puts a file where {@code mvn install} puts it. */
  void install(String module, String version, Path file, String ending) throws IOException {
    Path target = repository.resolve(Path.of("dev", "semel", module, version));
    Files.createDirectories(target);
    Files.copy(file, target.resolve(module + "-" + version + ending));
  }

  /** Whether a file is where {@code mvn install} puts it. */
  Path installed(String module, String version, String ending) {
    return repository.resolve(
        Path.of("dev", "semel", module, version, module + "-" + version + ending));
  }

  /** A copy of sources, without what builds have made of them. */
  Path copyOf(Path sources, String name) throws IOException {
    Path copy = directory.resolve(name);
    Files.walkFileTree(
        sources,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a)
              throws IOException {
            if (LEFT_OUT.contains(dir.getFileName().toString())) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(copy.resolve(sources.relativize(dir).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes a) throws IOException {
            Files.copy(
                file,
                copy.resolve(sources.relativize(file).toString()),
                StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
    return copy;
  }

  /** Runs Maven, and fails with its output if it fails. */
  void maven(Path project, String... arguments) throws IOException, InterruptedException {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    Path mvn = Path.of(System.getProperty("maven.home"), "bin", windows ? "mvn.cmd" : "mvn");
    List<String> command = new ArrayList<>(List.of(mvn.toString(), "-q", "-B", "-ntp"));
    command.add("-Dmaven.repo.local=" + repository);
    if (System.getProperty("maven.mode").equals("offline: true")) {
      command.add("-o");
    }
    command.addAll(List.of(arguments));
    Path log = directory.resolve(project.getFileName() + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).as("ended in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(() -> String.join(" ", command) + text(log)).isZero();
  }

  static String text(Path log) {
    try {
      return "\n" + Files.readString(log);
    } catch (IOException e) {
      return "\n" + e;
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    // Does not follow links, so the real repository is safe.
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
