package dev.semel.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The RabbitMQ of the distribution: its own start script, not the distribution's wrapper, which
 * insists on the distribution's account and directories.
 */
record RabbitInstallation(Path server, Path epmd) {

  private static final String REMEDY =
      "; remedy: apt-get install rabbitmq-server, or give the tests a broker with SEMEL_TEST_AMQP_URI";

  static RabbitInstallation find() throws IOException {
    Path command = required("rabbitmq-server");
    // the wrapper is a link into the directory of the scripts; the scripts come with rabbitmq-env
    Path scripts = command.toRealPath().getParent();
    Path server = scripts.resolve("rabbitmq-server");
    if (!Files.exists(scripts.resolve("rabbitmq-env")) || !Files.isExecutable(server)) {
      throw new IllegalStateException(
          "found " + command + ", but not the scripts of RabbitMQ beside it" + REMEDY);
    }
    return new RabbitInstallation(server, required("epmd"));
  }

  private static Path required(String program) {
    Path found = Executable.find(program);
    if (found == null) {
      throw new IllegalStateException(program + " is not installed" + REMEDY);
    }
    return found;
  }
}
