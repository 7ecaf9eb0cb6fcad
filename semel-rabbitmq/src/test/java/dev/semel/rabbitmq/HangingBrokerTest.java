package dev.semel.rabbitmq;

import static dev.semel.rabbitmq.RecordingIntake.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spi.Delivery;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A broker that is there but does not answer. */
class HangingBrokerTest {

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(6);

  @Test
  void closingTakesBoundedTimeForAllSubscriptionsTogether() throws Exception {
    RabbitNode node = SharedNode.get();
    try (TestVhost vhost = node.createVhost("hanging");
        FreezingProxy proxy = new FreezingProxy(node.port())) {
      String queue = vhost.declareQueue("q");
      vhost.publish(queue, "m1", "x");
      MessageSource source =
          (MessageSource) RabbitMq.queue(node.amqpUri(vhost.name(), proxy.port()), queue);
      RecordingIntake intake = new RecordingIntake();
      RecordingIntake other = new RecordingIntake();
      Subscription first = source.subscribe(intake, 1);
      intake.awaitDeliveries(1);
      Subscription second = source.subscribe(other, 1);
      other.awaitEvents(1);
      proxy.freeze();
      long start = System.nanoTime();
      first.close();
      second.close();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CLOSE_LIMIT);
      assertThat(intake.deliveries()).noneMatch(Delivery::live);
      Await.until("no thread", LIMIT, () -> threads(queue).isEmpty());
    }
  }

  @Test
  void closingWhileTheBrokerIsBeingSought() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      MessageSource source =
          (MessageSource)
              RabbitMq.queue("amqp://app:s3cret@127.0.0.1:" + silent.getLocalPort(), "silent");
      Subscription first = source.subscribe(new RecordingIntake(), 1);
      Subscription second = source.subscribe(new RecordingIntake(), 1);
      try (Socket accepted = silent.accept()) {
        long start = System.nanoTime();
        first.close();
        second.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CLOSE_LIMIT);
        assertThat(accepted.isConnected()).isTrue();
        Await.until("no thread", LIMIT, () -> threads("silent").isEmpty());
      }
    }
  }

  private static List<String> threads(String queue) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.equals("semel-rabbitmq-" + queue))
        .toList();
  }

  /** Passes bytes on until it is frozen; then both ends stay connected and hear nothing. */
  private static final class FreezingProxy implements Closeable {
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final int target;
    private volatile boolean frozen;

    FreezingProxy(int target) throws IOException {
      this.target = target;
      start(
          () -> {
            while (true) {
              Socket from = server.accept();
              Socket to = new Socket(InetAddress.getLoopbackAddress(), target());
              start(() -> pass(from.getInputStream(), to.getOutputStream()));
              start(() -> pass(to.getInputStream(), from.getOutputStream()));
            }
          });
    }

    int port() {
      return server.getLocalPort();
    }

    private int target() {
      return target;
    }

    void freeze() {
      frozen = true;
    }

    private void pass(InputStream in, OutputStream out) throws IOException {
      byte[] buffer = new byte[8192];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!frozen) {
          out.write(buffer, 0, read);
        }
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
    }

    private interface Task {
      void run() throws IOException;
    }

    private static void start(Task task) {
      DaemonThreads.named(
              "proxy",
              () -> {
                try {
                  task.run();
                } catch (IOException e) {
                  return; // closed by either end
                }
              })
          .start();
    }
  }
}
