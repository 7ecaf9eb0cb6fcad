package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.UnavailableException;
import dev.semel.spi.MessageSource;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is at the other end is verified: issuer and host name. No broker is needed for that. */
class TlsTest {

  private static final char[] STORE_PASSWORD = "changeit".toCharArray();

  private final BlockingQueue<String> greetings = new LinkedBlockingQueue<>();
  @TempDir Path directory;
  private SSLContext usual;

  @BeforeEach
  void remember() throws Exception {
    usual = SSLContext.getDefault();
  }

  @AfterEach
  void restore() {
    SSLContext.setDefault(usual);
  }

  @Test
  void anUnknownIssuerIsRefused() throws Exception {
    KeyStore keys = selfSigned("localhost");
    try (SSLServerSocket server = serve(keys)) {
      assertThatThrownBy(() -> check(server))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith("no TLS with RabbitMQ at localhost:" + server.getLocalPort())
          .hasMessageContaining("trust store")
          .hasMessageNotContaining("s3cret");
      assertThat(greetings.poll(5, TimeUnit.SECONDS)).isEqualTo("refused");
    }
  }

  @Test
  void anotherHostsCertificateIsRefused() throws Exception {
    KeyStore keys = selfSigned("broker.example");
    SSLContext.setDefault(context(keys));
    try (SSLServerSocket server = serve(keys)) {
      assertThatThrownBy(() -> check(server))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("names this host");
      assertThat(greetings.poll(5, TimeUnit.SECONDS)).isEqualTo("refused");
    }
  }

  @Test
  void theRightCertificateIsSpokenTo() throws Exception {
    KeyStore keys = selfSigned("localhost");
    SSLContext.setDefault(context(keys));
    try (SSLServerSocket server = serve(keys)) {
      // the server hangs up after the greeting, so it cannot be reached; but it was spoken to
      assertThatThrownBy(() -> check(server)).isInstanceOf(UnavailableException.class);
      assertThat(greetings.poll(5, TimeUnit.SECONDS)).isEqualTo("AMQP");
    }
  }

  private static void check(SSLServerSocket server) {
    String uri = "amqps://app:s3cret@localhost:" + server.getLocalPort();
    ((MessageSource) RabbitMq.queue(uri, "q")).check();
  }

  private KeyStore selfSigned(String host) throws Exception {
    Path file = directory.resolve(host + ".p12");
    int result = keytool(host, file);
    assertThat(result).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      keys.load(in, STORE_PASSWORD);
    }
    return keys;
  }

  private static int keytool(String host, Path file) throws Exception {
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    return new ProcessBuilder(
            tool.toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-alias",
            "broker",
            "-dname",
            "CN=" + host,
            "-ext",
            "SAN=dns:" + host,
            "-storetype",
            "PKCS12",
            "-keystore",
            file.toString(),
            "-storepass",
            new String(STORE_PASSWORD))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static SSLContext context(KeyStore keys) throws Exception {
    KeyManagerFactory mine = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    mine.init(keys, STORE_PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("broker", keys.getCertificate("broker"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(mine.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private SSLServerSocket serve(KeyStore keys) throws Exception {
    SSLServerSocket server =
        (SSLServerSocket)
            context(keys)
                .getServerSocketFactory()
                .createServerSocket(0, 5, InetAddress.getByName("localhost"));
    DaemonThreads.named("tls-server", () -> greet(server)).start();
    return server;
  }

  private void greet(SSLServerSocket server) {
    try (SSLSocket socket = (SSLSocket) server.accept()) {
      byte[] header = socket.getInputStream().readNBytes(4);
      greetings.add(header.length == 0 ? "refused" : new String(header));
    } catch (IOException e) {
      greetings.add("refused");
    }
  }
}
