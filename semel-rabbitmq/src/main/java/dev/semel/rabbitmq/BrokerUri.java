package dev.semel.rabbitmq;

import dev.semel.ConfigurationException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An AMQP URI, read by us and not by the client: the client's {@code setUri} takes an unreadable
 * host for {@code localhost}, passes over settings that it does not know, turns off the
 * verification of certificates, and its exceptions quote the password.
 */
final class BrokerUri {

  private static final String FORM = "amqp[s]://user:password@host[:port]/vhost";
  private static final int PORT = 5672;
  private static final int TLS_PORT = 5671;
  private static final String DEFAULT_VHOST = "/";
  private static final String DEFAULT_ACCOUNT = "guest";

  private final boolean tls;
  private final String host;
  private final int port;
  private final String user;
  private final String password;
  private final String vhost;

  private BrokerUri(URI uri) {
    this.tls = tls(uri);
    this.host = host(uri);
    this.port = uri.getPort() >= 0 ? uri.getPort() : tls ? TLS_PORT : PORT;
    String[] account = account(uri);
    this.user = account[0];
    this.password = account[1];
    this.vhost = vhost(uri);
  }

  static BrokerUri parse(String text) {
    URI uri;
    try {
      uri = new URI(text.strip());
    } catch (URISyntaxException e) {
      // neither its message nor the exception as a cause: both quote the whole URI
      throw refused("cannot be read");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw refused("has settings after '?' or '#', which are not supported: leave them out");
    }
    return new BrokerUri(uri);
  }

  private static ConfigurationException refused(String why) {
    return new ConfigurationException(
        "the RabbitMQ URI "
            + why
            + "; it must look like "
            + FORM
            + " with special characters percent-encoded ('@' is %40, '/' is %2F, '%' is %25)");
  }

  private static boolean tls(URI uri) {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    return switch (scheme) {
      case "amqp" -> false;
      case "amqps" -> true;
      default -> throw refused("does not begin with amqp:// or amqps://");
    };
  }

  private static String host(URI uri) {
    String host = uri.getHost();
    if (host == null || host.isEmpty()) {
      throw refused("has no readable host (a host name has no underscore)");
    }
    // the brackets of an IPv6 address belong to the URI, not to the address
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static String[] account(URI uri) {
    String info = uri.getRawUserInfo();
    if (info == null) {
      return new String[] {DEFAULT_ACCOUNT, DEFAULT_ACCOUNT};
    }
    int colon = info.indexOf(':');
    if (colon < 0) {
      throw refused("has a user but no password");
    }
    return new String[] {decoded(info.substring(0, colon)), decoded(info.substring(colon + 1))};
  }

  private static String vhost(URI uri) {
    @Nullable String path = uri.getRawPath();
    if (path == null || path.isEmpty()) {
      return DEFAULT_VHOST;
    }
    String name = path.substring(1);
    if (name.isEmpty()) {
      throw refused(
          "ends with '/', which names a vhost without a name: leave the '/' out, or write %2F, for the default vhost");
    }
    if (name.indexOf('/') >= 0) {
      throw refused("has more than one '/' after the host");
    }
    return decoded(name);
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  boolean tls() {
    return tls;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  String user() {
    return user;
  }

  String password() {
    return password;
  }

  String vhost() {
    return vhost;
  }

  /** Where it is, for people. */
  String address() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /** Never the password. */
  @Override
  public String toString() {
    return (tls ? "amqps://" : "amqp://") + address();
  }
}
