package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RabbitInstallationTest {

  private static final Path NODE = Path.of("/tmp/node");

  @TempDir private Path root;

  @Test
  void startsTheProgramsOfTheMachineAsTheyAre() {
    RabbitInstallation machine =
        new RabbitInstallation(null, Path.of("/opt/rabbitmq-server"), Path.of("/opt/epmd"));
    assertThat(machine.command(NODE, machine.epmd(), "-port", "1"))
        .containsExactly("/opt/epmd", "-port", "1");
    assertThat(machine.seen(NODE)).isEqualTo(NODE);
  }

  @Test
  void entersARootWithTheDirectoryOfTheNode() throws Exception {
    Path scripts = Files.createDirectories(root.resolve("usr/lib/rabbitmq/bin"));
    Files.createFile(scripts.resolve("rabbitmq-server"));
    RabbitInstallation inRoot = RabbitInstallation.inRoot(root);
    assertThat(inRoot.command(NODE, inRoot.server()))
        .startsWith("unshare", "--mount")
        .endsWith(root.toString(), "/tmp/node", "/mnt", "/usr/lib/rabbitmq/bin/rabbitmq-server");
    assertThat(inRoot.seen(NODE)).isEqualTo(Path.of("/mnt"));
  }

  @Test
  void namesTheRemedyForADirectoryWithoutRabbit() {
    assertThatThrownBy(() -> RabbitInstallation.inRoot(root))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(root.toString())
        .hasMessageContaining("tools/rabbitmq-root");
  }
}
