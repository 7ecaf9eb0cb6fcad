package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a queue was declared with, where there is no management API: it declares the queue
 * as if it were plain. The broker refuses, naming one difference; that is learned, and the
 * declaration tried again until the broker accepts it, which proves all that was learned. Each
 * refusal closes a channel and is an error in the broker's log. Used by one thread.
 *
 * <p>A queue that is deleted meanwhile must not be made by this. So each declaration carries an
 * {@value #GUARD} that is no age: RabbitMQ checks the arguments of a queue only if it is to be
 * made, and then refuses; one that is there is compared by the arguments of its own type, and only
 * streams have this one. Seen with RabbitMQ 3.10.8, 4.0.5 and 4.3.6; older ones, and other brokers,
 * are not asked.
 */
final class QueueInquiry {

  private static final Logger log = LoggerFactory.getLogger(QueueInquiry.class);

  /** More than any type of queue has arguments. */
  private static final int TRIES = 32;

  private static final String GUARD = "x-max-age";

  private final Connection connection;
  private final String queue;
  private final Map<String, Object> arguments = new HashMap<>(Map.of(GUARD, 0));
  private boolean durable = true;
  private boolean autoDelete;

  private QueueInquiry(Connection connection, String queue) {
    this.connection = connection;
    this.queue = queue;
  }

  /** What could be found out; null if that is nothing, for example without permission. */
  static @Nullable QueueFacts facts(Connection connection, String queue) {
    ServerVersion version = ServerVersion.of(connection);
    if (!version.atLeast(3, 10)) {
      return null;
    }
    try {
      return new QueueInquiry(connection, queue).run(version);
    } catch (IOException | RuntimeException e) {
      log.debug("queue {}: its arguments stay unknown: {}", queue, Reasons.line(e));
      return null;
    }
  }

  private @Nullable QueueFacts run(ServerVersion version) throws IOException {
    for (int left = TRIES; left > 0; left--) {
      String refusal = refusal();
      if (refusal != null && !learned(refusal)) {
        log.debug("queue {}: its arguments stay unknown: {}", queue, OneLine.of(refusal));
        return null;
      }
      if (refusal == null || !arguments.containsKey(GUARD)) {
        arguments.remove(GUARD);
        return new QueueFacts(durable, autoDelete, arguments, version);
      }
    }
    return null;
  }

  /** Why the declaration is not that of the queue; null if it is. */
  private @Nullable String refusal() throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection has no channel left");
    }
    try {
      channel.queueDeclare(queue, durable, false, autoDelete, arguments);
      return null;
    } catch (IOException e) {
      AMQP.Channel.Close close = Reasons.channelClose(e);
      if (close == null || close.getReplyCode() != AMQP.PRECONDITION_FAILED) {
        throw e;
      }
      return close.getReplyText();
    }
  }

  /** False if there was nothing new in it. */
  private boolean learned(String refusal) {
    Inequivalence difference = Inequivalence.of(refusal);
    if (difference == null) {
      return false;
    }
    Object current = difference.current();
    switch (difference.argument()) {
      case "durable":
        boolean wasDurable = durable;
        durable = Boolean.TRUE.equals(current);
        return durable != wasDurable;
      case "auto_delete":
        boolean wasAutoDelete = autoDelete;
        autoDelete = Boolean.TRUE.equals(current);
        return autoDelete != wasAutoDelete;
      case GUARD:
        return learnedStream();
      case QueueFacts.TYPE:
        if ("stream".equals(current)) {
          return learnedStream();
        }
        break;
      default:
        break;
    }
    // a difference in what both sides have is told in a shorter way, which may not be cut
    Object value = difference.cut() ? "" : current;
    return value != null && !value.equals(arguments.put(difference.argument(), value));
  }

  /** Which ends the inquiry, since nothing else about a stream matters here. */
  private boolean learnedStream() {
    arguments.put(QueueFacts.TYPE, "stream");
    arguments.remove(GUARD);
    return true;
  }
}
