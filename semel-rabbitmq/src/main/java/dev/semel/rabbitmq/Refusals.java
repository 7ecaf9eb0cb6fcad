package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import dev.semel.ConfigurationException;
import dev.semel.SemelException;
import dev.semel.UnavailableException;
import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Tells what waiting would mend from what it would not, in one line that names the remedy. */
final class Refusals {

  private final BrokerUri uri;
  private final String who;

  Refusals(BrokerUri uri) {
    this.uri = uri;
    this.who = "RabbitMQ at " + uri.address();
  }

  /** An error while connecting. */
  SemelException ofConnection(Exception error) {
    Reasons.@Nullable Reply reply = Reasons.reply(error);
    if (Reasons.find(error, PossibleAuthenticationFailureException.class) != null
        || (reply != null && reply.code() == AMQP.ACCESS_REFUSED)) {
      return new ConfigurationException(
          who
              + " refused user '"
              + uri.user()
              + "' for vhost '"
              + uri.vhost()
              + "': check the password",
          error);
    }
    if (isTlsFault(error)) {
      return new ConfigurationException(
          "no TLS with "
              + who
              + " ("
              + Reasons.line(error)
              + "): check that the port speaks TLS, that the JVM's trust store knows the issuer of its certificate, and that the certificate names this host",
          error);
    }
    // the broker has one code for a vhost that is not there and for a limit that is reached
    if (reply != null
        && reply.code() == AMQP.NOT_ALLOWED
        && !reply.text().contains("connection limit (")) {
      return new ConfigurationException(
          who
              + " does not open vhost '"
              + uri.vhost()
              + "' to user '"
              + uri.user()
              + "' ("
              + reply
              + "): create the vhost, grant the user permissions in it, or correct the URI",
          error);
    }
    return unavailable(error);
  }

  private String what(String queue) {
    return "queue '" + OneLine.of(queue) + "' in vhost '" + uri.vhost() + "'";
  }

  /** It was said to be what it is not. */
  SemelException notSingleActive(String queue) {
    return new ConfigurationException(
        who
            + " has "
            + what(queue)
            + " without a single active consumer, though singleActiveConsumer() says that it has"
            + " one: declare it anew with x-single-active-consumer = true, or leave"
            + " singleActiveConsumer() out");
  }

  /** An error while asking for a queue. */
  SemelException ofQueue(String queue, Exception error) {
    Reasons.@Nullable Reply reply = Reasons.reply(error);
    String what = what(queue);
    return switch (reply == null ? 0 : reply.code()) {
      case AMQP.NOT_FOUND ->
          new ConfigurationException(
              who
                  + " has no "
                  + what
                  + ": declare it or correct the name (Semel declares no queues)",
              error);
      case AMQP.RESOURCE_LOCKED ->
          new ConfigurationException(
              who
                  + " has "
                  + what
                  + " as the exclusive queue of another connection: declare it without exclusive",
              error);
      case AMQP.ACCESS_REFUSED ->
          new ConfigurationException(
              who
                  + " does not let user '"
                  + uri.user()
                  + "' use "
                  + what
                  + " ("
                  + reply
                  + "): grant the user permission to read it",
              error);
      default -> unavailable(error);
    };
  }

  private SemelException unavailable(Exception error) {
    return new UnavailableException(
        who + " cannot be reached (" + Reasons.line(error) + ")", error);
  }

  /** A handshake that broke off is no fault of TLS: the other side may just be starting. */
  private static boolean isTlsFault(Exception error) {
    return Reasons.find(error, SSLException.class) != null
        && Reasons.find(error, EOFException.class) == null
        && Reasons.find(error, SocketException.class) == null
        && Reasons.find(error, SocketTimeoutException.class) == null;
  }
}
