package dev.semel.worker;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which broker. */
final class BrokerOptions {

  /** Does not repeat what was given: where the password stands in it is anybody's guess. */
  private static final String MALFORMED =
      "--amqp is not the URI of a broker; expected amqp://USER:PASSWORD@HOST:5672/VHOST";

  private static final int ANSWER_MILLIS = 10_000;

  private final Context context;

  @Option(
      names = "--amqp",
      paramLabel = "URI",
      description = "The broker, amqp[s]://USER:PASSWORD@HOST:PORT/VHOST.")
  private @Nullable String uri;

  BrokerOptions(Context context) {
    this.context = context;
  }

  /** The broker of the option, after a look whether it can be used; null without the option. */
  @Nullable String reachableIfGiven() {
    if (uri != null) {
      check(uri);
    }
    return uri;
  }

  /** The broker of option or environment, after a look whether it can be used. */
  String reachable() {
    String given = uri != null ? uri : context.variable("SEMEL_AMQP_URI");
    if (given == null) {
      throw new UserError(
          "no broker given; name it with --amqp amqp://USER:PASSWORD@HOST:5672/VHOST or"
              + " SEMEL_AMQP_URI");
    }
    check(given);
    return given;
  }

  private void check(String broker) {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(broker);
    } catch (URISyntaxException
        | GeneralSecurityException
        | IllegalArgumentException
        | NullPointerException e) {
      throw new UserError(MALFORMED, e);
    }
    // of a port that is no number the client makes host and port of its own liking
    if (URI.create(broker).getHost() == null) {
      throw new UserError(MALFORMED);
    }
    context.mask().hide(factory.getPassword());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(ANSWER_MILLIS);
    factory.setHandshakeTimeout(ANSWER_MILLIS);
    String where = factory.getHost() + ":" + factory.getPort();
    try {
      factory.newConnection("semel").abort();
    } catch (PossibleAuthenticationFailureException e) {
      throw new UserError(
          "the broker at "
              + where
              + " refused user '"
              + factory.getUsername()
              + "'; put the right user and password into --amqp",
          e);
    } catch (IOException | TimeoutException e) {
      throw new UserError(unreachable(where, factory.getVirtualHost(), e), e);
    }
  }

  private static String unreachable(String where, String vhost, Exception e) {
    if (e.getCause() instanceof ShutdownSignalException refused) {
      return "the broker at "
          + where
          + " does not let us into the virtual host '"
          + vhost
          + "' ("
          + refused.getReason()
          + "); create it, grant it, or correct --amqp";
    }
    String why =
        e instanceof UnknownHostException
            ? "unknown host"
            : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return "cannot reach a broker at "
        + where
        + " ("
        + why
        + "); is it running, and is --amqp right?";
  }
}
