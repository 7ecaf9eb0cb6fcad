package dev.semel.rabbitmq;

import dev.semel.testkit.RabbitNode;
import java.io.IOException;

/** One broker for the tests that need nothing special of it; it ends with the JVM. */
final class SharedNode {

  private static RabbitNode node;

  private SharedNode() {}

  static synchronized RabbitNode get() throws IOException {
    if (node == null) {
      node = RabbitNode.start();
    }
    node.startAgain();
    return node;
  }
}
