package dev.semel.worker.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Loopback ports for the embedded servers. */
final class Ports {

  private Ports() {}

  static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  static void requireFree(int port, String option) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      socket.getLocalPort();
    } catch (IOException e) {
      throw new DemoException(
          "port "
              + port
              + " on 127.0.0.1 is taken ("
              + e.getMessage()
              + "); choose another with "
              + option
              + ", or leave the option out for a free one",
          e);
    }
  }
}
