package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
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
    System.out.println("RabbitMQ started in " + (System.nanoTime() - start) / 1_000_000 + " ms");
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
  void countsConsumersAndTimesThemOut() throws Exception {
    String queue = vhost.declareQueue("q");
    try (Connection connection = vhost.connect()) {
      Channel channel = connection.createChannel();
      CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
      channel.addShutdownListener(closed::complete);
      channel.basicConsume(queue, false, (tag, delivery) -> {}, tag -> {});
      assertThat(node.consumerCount(vhost.name(), queue)).isEqualTo(1);
      vhost.publish(queue, "never acknowledged", "x");
      assertThat(closed.get(15, TimeUnit.SECONDS).getMessage()).contains("406", "timed out");
      assertThat(vhost.consumerCount(queue)).isZero();
    }
  }
}
