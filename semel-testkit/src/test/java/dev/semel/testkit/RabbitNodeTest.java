package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RabbitNodeTest {

  private static RabbitNode node;
  private TestVhost vhost;

  @BeforeAll
  static void start() throws Exception {
    long start = System.nanoTime();
    node = RabbitNode.builder().consumerTimeout(Duration.ofSeconds(1)).start();
    long millis = (System.nanoTime() - start) / 1_000_000;
    System.out.println("RabbitMQ " + node.version() + " started in " + millis + " ms");
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void createVhost() throws Exception {
    vhost = node.createVhost("Rabbit test");
  }

  @AfterEach
  void deleteVhost() throws Exception {
    vhost.close();
  }

  @Test
  void publishesCountsAndDrainsInOrder() throws Exception {
    String queue = vhost.declareQueue("q");
    vhost.publish(queue, "m1", "one");
    vhost.publish(queue, "m2", "two", Map.of("kind", "test"));
    assertThat(vhost.readyCount(queue)).isEqualTo(2);
    assertThat(node.queues(vhost.name())).containsExactly("q");
    assertThat(vhost.drain(queue))
        .extracting(each -> new String(each.getBody()))
        .containsExactly("one", "two");
    assertThat(vhost.drainIds(queue)).isEmpty();
    assertThatThrownBy(() -> vhost.publish("absent", "m3", "x")).hasMessageContaining("not routed");
  }

  @Test
  void countsMessagesOfBothKindsOfQueues() throws Exception {
    for (String type : List.of("classic", "quorum")) {
      String queue = vhost.declareQueue(type, Map.of("x-queue-type", type));
      vhost.publish(queue, "m1", "x");
      vhost.publish(queue, "m2", "x");
      assertThat(node.messageCount(vhost.name(), queue)).isEqualTo(2);
      vhost.drain(queue);
      assertThat(node.messageCount(vhost.name(), queue)).isZero();
    }
    assertThat(node.messageCount(vhost.name(), "absent")).isEqualTo(-1);
  }

  @Test
  void keepsPersistentMessagesAcrossCrashAndRestart() throws Exception {
    String classic = vhost.declareQueue("classic");
    String quorum = vhost.declareQueue("quorum", Map.of("x-queue-type", "quorum"));
    vhost.publish(classic, "c1", "x");
    vhost.publish(quorum, "q1", "x");
    int port = node.port();
    node.awaitQuorumQueueOnDisk(vhost.name(), quorum);
    node.crash();
    assertThat(node.isRunning()).isFalse();
    assertThatThrownBy(vhost::connect).isInstanceOf(IOException.class);
    node.startAgain();
    assertThat(node.port()).isEqualTo(port);
    vhost.publish(classic, "c2", "x");
    node.restart();
    assertThat(vhost.drainIds(classic)).containsExactly("c1", "c2");
    assertThat(vhost.drainIds(quorum)).containsExactly("q1");
  }

  @Test
  void closesConnectionsWithAReason() throws Exception {
    CompletableFuture<ShutdownSignalException> told = new CompletableFuture<>();
    Connection connection = vhost.connect();
    connection.addShutdownListener(told::complete);
    assertThat(node.connectionCount(vhost.name())).isEqualTo(1);
    assertThat(node.closeConnections(vhost.name())).isEqualTo(1);
    assertThat(told.get(10, TimeUnit.SECONDS).getMessage()).contains("320", "closed by the test");
    Connection second = vhost.connect();
    assertThat(node.closeAllConnections("go away")).isEqualTo(1);
    Await.until("the client to know", Duration.ofSeconds(10), () -> !second.isOpen());
    assertThat(second.getCloseReason().getMessage()).contains("go away");
  }

  @Test
  void countsConsumersAndTakesBackWhatTheyKeep() throws Exception {
    String queue = vhost.declareQueue("q", Map.of("x-queue-type", "quorum"));
    try (Connection connection = vhost.connect()) {
      Channel channel = connection.createChannel();
      CompletableFuture<String> told = new CompletableFuture<>();
      channel.addShutdownListener(closed -> told.complete(closed.getMessage()));
      channel.basicConsume(queue, false, (tag, delivery) -> {}, tag -> told.complete("cancelled"));
      assertThat(node.consumerCount(vhost.name(), queue)).isEqualTo(1);
      vhost.publish(queue, "never acknowledged", "x");
      String said = told.get(15, TimeUnit.SECONDS);
      if (isAtLeast("4.3")) {
        assertThat(said).isEqualTo("cancelled");
        assertThat(channel.isOpen()).isTrue();
      } else {
        assertThat(said).contains("406", "timed out");
        assertThat(vhost.consumerCount(queue)).isZero();
      }
      Await.until("the message back", Duration.ofSeconds(10), () -> vhost.readyCount(queue) == 1);
    }
  }

  @Test
  void isOfTheInstallationThatWasAskedFor() throws Exception {
    assertThat(node.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    String root = System.getenv(RabbitInstallation.ROOT);
    if (root != null) {
      Path servers = Path.of(root, "usr/lib/rabbitmq/lib");
      assertThat(servers.resolve("rabbitmq_server-" + node.version())).isDirectory();
    }
  }

  private static boolean isAtLeast(String version) throws IOException {
    return Version.parse(node.version()).compareTo(Version.parse(version)) >= 0;
  }
}
