package dev.semel.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers. They are taken below the range that Linux gives to outgoing
 * connections (from 32768), so that no client socket can take the port while its server restarts.
 */
final class FreePorts {

  private static final int FIRST = 15_000;
  private static final int LAST = 31_999;
  private static final int TRIES = 1_000;
  private static final Set<Integer> GIVEN = new HashSet<>();

  private FreePorts() {}

  /** A port that nobody listens on and that was not given out before by this JVM. */
  static synchronized int next() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
      if (!GIVEN.contains(port) && isFree(port)) {
        GIVEN.add(port);
        return port;
      }
    }
    throw new IllegalStateException("no free loopback port between " + FIRST + " and " + LAST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
