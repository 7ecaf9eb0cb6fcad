package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

/** Finds, in what the client throws, what the broker said. */
final class Reasons {

  /** What the broker (or this client) said when it closed: a reply code of AMQP and a text. */
  record Reply(int code, String text) {
    @Override
    public String toString() {
      return code + " " + text;
    }
  }

  private Reasons() {}

  /** The first cause of a type, the error itself included. */
  static <T> @Nullable T find(Throwable error, Class<T> type) {
    for (Throwable at = error; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return type.cast(at);
      }
    }
    return null;
  }

  private static @Nullable Method method(Throwable error) {
    ShutdownSignalException signal = find(error, ShutdownSignalException.class);
    return signal == null ? null : signal.getReason();
  }

  /** How the broker closed the channel, word for word. */
  static AMQP.Channel.@Nullable Close channelClose(Throwable error) {
    return method(error) instanceof AMQP.Channel.Close close ? close : null;
  }

  static @Nullable Reply reply(Throwable error) {
    Method reason = method(error);
    if (reason instanceof AMQP.Channel.Close close) {
      return new Reply(close.getReplyCode(), OneLine.of(close.getReplyText()));
    }
    if (reason instanceof AMQP.Connection.Close close) {
      return new Reply(close.getReplyCode(), OneLine.of(close.getReplyText()));
    }
    return null;
  }

  /** One line; the client's exceptions carry no credentials once the URI is read elsewhere. */
  static String line(Throwable error) {
    Reply reply = reply(error);
    if (reply != null) {
      return reply.toString();
    }
    Throwable root = error;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String text = root.getMessage();
    String kind = root.getClass().getSimpleName();
    return text == null || text.isBlank() ? kind : OneLine.of(kind + ": " + text);
  }
}
