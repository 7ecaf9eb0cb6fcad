package dev.semel.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** One client and its connection to the server: two pumps, one a direction. */
final class ProxiedConnection {

  private static final int CANCEL_REQUEST = 80_877_102;
  private static final int SSL_REQUEST = 80_877_103;
  private static final int GSS_REQUEST = 80_877_104;
  private static final int BUFFER = 1 << 15;

  private final TcpProxy proxy;
  private final ProxyGate gate;
  private final Socket client;
  private final Socket server;
  private final CommitFinder commits = new CommitFinder();

  /** An order taken by the request pump, to be carried out by the answer pump. */
  private volatile TcpProxy.@Nullable Order pending;

  private volatile boolean ended;

  ProxiedConnection(TcpProxy proxy, ProxyGate gate, Socket client, Socket server) {
    this.proxy = proxy;
    this.gate = gate;
    this.client = client;
    this.server = server;
  }

  void cut() {
    ended = true;
    closeQuietly(server);
    closeQuietly(client);
    gate.wake();
    proxy.forget(this);
    TcpProxy.Order unused = pending;
    if (unused != null) {
      pending = null;
      proxy.giveBack(unused);
    }
  }

  void pumpBytesUp() {
    pump(() -> copy(client.getInputStream(), server.getOutputStream(), true));
  }

  void pumpBytesDown() {
    pump(() -> copy(server.getInputStream(), client.getOutputStream(), false));
  }

  void pumpPostgresRequests() {
    pump(this::requests);
  }

  void pumpPostgresAnswers() {
    pump(this::answers);
  }

  private interface Pump {
    void run() throws IOException, InterruptedException;
  }

  private void pump(Pump pump) {
    try {
      pump.run();
    } catch (IOException e) {
      // one side has gone, or we cut it; either way the other must go too
      ended = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cut();
    }
  }

  private void copy(InputStream from, OutputStream to, boolean requests)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      if (requests) {
        gate.passRequest(() -> ended);
      } else {
        gate.pass(() -> ended);
      }
      to.write(buffer, 0, n);
    }
  }

  private void requests() throws IOException, InterruptedException {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(client.getInputStream(), BUFFER));
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(server.getOutputStream(), BUFFER));
    if (!startup(in, out)) {
      return;
    }
    while (true) {
      int type = in.readUnsignedByte();
      byte[] body = in.readNBytes(in.readInt() - Integer.BYTES);
      if (commits.isCommit(type, body) && !mayForwardCommit()) {
        return;
      }
      if (type == 'Q' || type == 'S') {
        gate.passRequest(() -> ended);
      } else {
        gate.pass(() -> ended);
      }
      write(out, type, body);
      if (in.available() == 0) {
        out.flush();
      }
    }
  }

  /** Carries out an order at a COMMIT; false when it must not reach the server. */
  private boolean mayForwardCommit() {
    TcpProxy.Order order = proxy.commitSeen();
    if (order == null) {
      return true;
    }
    if (order.answerOnly()) {
      pending = order;
      return true;
    }
    cut();
    order.struck().complete(null);
    return false;
  }

  private void answers() throws IOException, InterruptedException {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(server.getInputStream(), BUFFER));
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(client.getOutputStream(), BUFFER));
    while (true) {
      int type = in.readUnsignedByte();
      byte[] body = in.readNBytes(in.readInt() - Integer.BYTES);
      TcpProxy.Order order = pending;
      if (order != null && CommitFinder.isCommitted(type, body)) {
        pending = null;
        cut();
        order.struck().complete(null);
        return;
      }
      if (order != null && CommitFinder.isNotCommitted(type, body)) {
        pending = null;
        proxy.giveBack(order);
      }
      gate.pass(() -> ended);
      write(out, type, body);
      if (in.available() == 0) {
        out.flush();
      }
    }
  }

  /** Forwards what comes before typed messages; false when nothing comes after it. */
  private boolean startup(DataInputStream in, DataOutputStream out)
      throws IOException, InterruptedException {
    while (true) {
      int length = in.readInt();
      int code = in.readInt();
      byte[] rest = in.readNBytes(length - 2 * Integer.BYTES);
      gate.passRequest(() -> ended);
      if (code == SSL_REQUEST || code == GSS_REQUEST) {
        client.getOutputStream().write('N');
        continue;
      }
      out.writeInt(length);
      out.writeInt(code);
      out.write(rest);
      out.flush();
      return code != CANCEL_REQUEST || awaitEnd(in);
    }
  }

  /**
   * After a cancel request the server says nothing and closes; wait for that, so that the request
   * is not lost.
   */
  private static boolean awaitEnd(InputStream in) throws IOException {
    in.transferTo(OutputStream.nullOutputStream());
    return false;
  }

  private static void write(DataOutputStream out, int type, byte[] body) throws IOException {
    out.writeByte(type);
    out.writeInt(body.length + Integer.BYTES);
    out.write(body);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed all the same
      return;
    }
  }
}
