package dev.semel.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Speaks as much of PostgreSQL's protocol as a driver needs to log in, and says that it is version
 * 13: such a server is not to be had from the test kit.
 */
final class OldPostgres implements AutoCloseable {

  private static final int SSL_REQUEST = 80877103;

  private final ServerSocket server;

  private OldPostgres(ServerSocket server) {
    this.server = server;
  }

  static OldPostgres start() throws IOException {
    OldPostgres old = new OldPostgres(new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1")));
    Thread thread = new Thread(old::serve, "old-postgres");
    thread.setDaemon(true);
    thread.start();
    return old;
  }

  String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + server.getLocalPort() + "/shop";
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket client = server.accept()) {
        talk(
            new DataInputStream(client.getInputStream()),
            new DataOutputStream(client.getOutputStream()));
      } catch (IOException e) {
        // the client has what it wanted, or the test is over
        continue;
      }
    }
  }

  private static void talk(DataInputStream in, DataOutputStream out) throws IOException {
    int code = greeting(in);
    if (code == SSL_REQUEST) {
      out.writeByte('N');
      out.flush();
      greeting(in);
    }
    send(out, 'R', new byte[] {0, 0, 0, 0});
    send(out, 'S', text("server_version", "13.14"));
    send(out, 'S', text("client_encoding", "UTF8"));
    send(out, 'S', text("standard_conforming_strings", "on"));
    send(out, 'S', text("DateStyle", "ISO, MDY"));
    send(out, 'S', text("TimeZone", "UTC"));
    send(out, 'S', text("integer_datetimes", "on"));
    send(out, 'K', new byte[8]);
    send(out, 'Z', new byte[] {'I'});
    while (true) {
      char kind = (char) in.readByte();
      in.skipNBytes(in.readInt() - 4L);
      switch (kind) {
        case 'P' -> send(out, '1', new byte[0]);
        case 'B' -> send(out, '2', new byte[0]);
        case 'E' -> send(out, 'C', text("SET"));
        case 'S' -> send(out, 'Z', new byte[] {'I'});
        case 'Q' -> {
          send(out, 'C', text("SET"));
          send(out, 'Z', new byte[] {'I'});
        }
        default -> {}
      }
    }
  }

  private static int greeting(DataInputStream in) throws IOException {
    int length = in.readInt();
    int code = in.readInt();
    in.skipNBytes(length - 8L);
    return code;
  }

  private static byte[] text(String... parts) {
    return (String.join("\0", parts) + "\0").getBytes(StandardCharsets.US_ASCII);
  }

  private static void send(DataOutputStream out, char kind, byte[] body) throws IOException {
    out.writeByte(kind);
    out.writeInt(body.length + 4);
    out.write(body);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
