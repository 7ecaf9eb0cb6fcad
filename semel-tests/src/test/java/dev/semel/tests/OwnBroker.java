package dev.semel.tests;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A second broker for the classes whose faults would hit everybody else: it waits three seconds for
 * an acknowledgement instead of thirty minutes, and it is crashed. Started by the first class that
 * asks, ended with the JVM.
 */
final class OwnBroker {

  private static @Nullable RabbitNode node;
  private static @Nullable TestVhost vhost;

  private OwnBroker() {}

  static synchronized RabbitNode node() {
    if (node == null) {
      try {
        node = RabbitNode.builder().consumerTimeout(Duration.ofSeconds(3)).start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return node;
  }

  static synchronized TestVhost vhost() {
    if (vhost == null) {
      try {
        vhost = node().createVhost("own");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return vhost;
  }
}
