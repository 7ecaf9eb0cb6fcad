package dev.semel.worker.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The embedded broker in its own JVM. */
final class EmbeddedBroker implements AutoCloseable {

  private static final int TRIES = 3;
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final int PASSWORD_BYTES = 16;

  private final Child child;
  private final String uri;

  private EmbeddedBroker(Child child, String uri) {
    this.child = child;
    this.uri = uri;
  }

  /** Starts it on the port, or on a free one for 0. */
  static EmbeddedBroker start(int port, Path directory) throws IOException {
    if (port != 0) {
      Ports.requireFree(port, "--broker-port");
    }
    Files.createDirectories(directory);
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    String password = HexFormat.of().formatHex(random);
    for (int left = port == 0 ? TRIES : 1; ; left--) {
      int chosen = port == 0 ? Ports.free() : port;
      Child child = launch(chosen, password, directory);
      if (BrokerProcess.READY.equals(child.line(START_LIMIT))) {
        return new EmbeddedBroker(
            child, "amqp://" + BrokerProcess.USER + ":" + password + "@127.0.0.1:" + chosen);
      }
      child.close();
      if (left == 1) {
        throw new DemoException("the embedded broker does not start\n" + child.logTail());
      }
    }
  }

  private static Child launch(int port, String password, Path directory) throws IOException {
    return Child.start(
        new Child.Spec(
            BrokerProcess.class,
            List.of("-Xmx256m"),
            List.of(Integer.toString(port), directory.toString()),
            Map.of(BrokerProcess.PASSWORD_VARIABLE, password),
            directory.resolve("broker.log"),
            false));
  }

  String uri() {
    return uri;
  }

  @Override
  public void close() {
    child.close();
  }
}
