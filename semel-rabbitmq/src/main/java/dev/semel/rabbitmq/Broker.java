package dev.semel.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.semel.ConfigurationException;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/** A broker and an account on it, to which connections can be opened. */
final class Broker {

  private static final int HEARTBEAT_SECONDS = 10;
  private static final int CONNECT_MILLIS = 5_000;
  private static final int HANDSHAKE_MILLIS = 5_000;
  private static final int ANSWER_MILLIS = 10_000;

  /**
   * The most that RabbitMQ itself can be set to accept. With the client's own limit of 64 MiB a
   * larger message would break the connection at each delivery, for ever.
   */
  static final int MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

  private final BrokerUri uri;
  private final int hardLimit;
  private final SSLContext trust;
  private final CallbackErrors callbackErrors = new CallbackErrors();

  Broker(BrokerUri uri) {
    this(uri, MAX_MESSAGE_BYTES);
  }

  /**
   * @param hardLimit of a body in bytes; a larger one breaks the connection
   */
  Broker(BrokerUri uri, int hardLimit) {
    this.uri = uri;
    this.hardLimit = hardLimit;
    this.trust = defaultTrust();
  }

  private static SSLContext defaultTrust() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new ConfigurationException(
          "the JVM's default trust store cannot be opened: check javax.net.ssl.trustStore", e);
    }
  }

  BrokerUri uri() {
    return uri;
  }

  /** Opens a connection that does not recover by itself: what it should be like is ours to say. */
  Connection connect(String name, String threads) throws IOException, TimeoutException {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(uri.host());
    factory.setPort(uri.port());
    factory.setVirtualHost(uri.vhost());
    factory.setUsername(uri.user());
    factory.setPassword(uri.password());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setHandshakeTimeout(HANDSHAKE_MILLIS);
    factory.setChannelRpcTimeout(ANSWER_MILLIS);
    // the client takes it for the least size that is too large
    factory.setMaxInboundMessageBodySize(hardLimit + 1);
    factory.setThreadFactory(new DaemonThreads(threads));
    factory.setExceptionHandler(callbackErrors);
    if (uri.tls()) {
      factory.useSslProtocol(trust);
      factory.enableHostnameVerification();
    }
    return factory.newConnection(name);
  }
}
