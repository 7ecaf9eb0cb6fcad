package dev.semel.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a RabbitMQ is installed: in this machine, or in a root directory of its own (see {@code
 * tools/rabbitmq-root}). It is started by its own script, not by the distribution's wrapper, which
 * insists on the distribution's account and directories.
 *
 * @param root the root directory; null for the machine's own
 * @param server the start script, as it is called inside the root
 * @param epmd Erlang's port mapper, as it is called inside the root
 */
record RabbitInstallation(@Nullable Path root, Path server, Path epmd) {

  static final String ROOT = "SEMEL_TEST_RABBITMQ_ROOT";

  private static final String REMEDY =
      "; remedy: apt-get install rabbitmq-server, or give the tests a broker with SEMEL_TEST_AMQP_URI";
  private static final Path SERVER_IN_ROOT = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
  private static final Path EPMD_IN_ROOT = Path.of("/usr/bin/epmd");
  private static final Path DIRECTORY_IN_ROOT = Path.of("/mnt");

  /**
   * Enters the root with a node's directory in it. The mounts are those of the process and end with
   * it; it stays the same process all the way to the program.
   */
  private static final String ENTER =
      """
      mount --bind /proc "$1/proc"
      mount --bind /dev "$1/dev"
      mount --bind "$2" "$1$3"
      root=$1
      shift 3
      exec chroot "$root" "$@"
      """;

  static RabbitInstallation find() throws IOException {
    String root = System.getenv(ROOT);
    return root == null || root.isEmpty() ? ofMachine() : inRoot(Path.of(root));
  }

  static RabbitInstallation inRoot(Path root) {
    if (!Files.exists(under(root, SERVER_IN_ROOT))) {
      throw new IllegalStateException(
          ROOT
              + " names "
              + root
              + ", where RabbitMQ is not; remedy: make it with tools/rabbitmq-root");
    }
    return new RabbitInstallation(root.toAbsolutePath(), SERVER_IN_ROOT, EPMD_IN_ROOT);
  }

  private static RabbitInstallation ofMachine() throws IOException {
    Path command = required("rabbitmq-server");
    // the wrapper is a link into the directory of the scripts; the scripts come with rabbitmq-env
    Path scripts = command.toRealPath().getParent();
    Path server = scripts.resolve("rabbitmq-server");
    if (!Files.exists(scripts.resolve("rabbitmq-env")) || !Files.isExecutable(server)) {
      throw new IllegalStateException(
          "found " + command + ", but not the scripts of RabbitMQ beside it" + REMEDY);
    }
    return new RabbitInstallation(null, server, required("epmd"));
  }

  /** The script that gives orders to a running node, as it is called inside the root. */
  Path control() {
    return server.resolveSibling("rabbitmqctl");
  }

  /** How the programs of a node see its directory. */
  Path seen(Path directory) {
    return root == null ? directory : DIRECTORY_IN_ROOT;
  }

  /** The path on which the programs find others. */
  String searchPath() {
    return root == null
        ? System.getenv().getOrDefault("PATH", "")
        : "/usr/sbin:/usr/bin:/sbin:/bin";
  }

  /** The command that runs a program of this installation for a node with that directory. */
  List<String> command(Path directory, Path program, String... arguments) {
    List<String> command = new ArrayList<>();
    if (root != null) {
      command.addAll(List.of("unshare", "--mount", "--propagation", "private", "--"));
      command.addAll(List.of("sh", "-euc", ENTER, "sh", root.toString(), directory.toString()));
      command.add(DIRECTORY_IN_ROOT.toString());
    }
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static Path under(Path root, Path absolute) {
    return root.resolve(absolute.getRoot().relativize(absolute));
  }

  private static Path required(String program) {
    Path found = Executable.find(program);
    if (found == null) {
      throw new IllegalStateException(program + " is not installed" + REMEDY);
    }
    return found;
  }
}
