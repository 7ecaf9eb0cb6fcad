package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.semel.spi.Answer;
import dev.semel.spi.Promise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel with confirms, and what it has not confirmed yet. A confirm is matched by the number of
 * the message on this channel, a return by the id of the promise; RabbitMQ sends the return of a
 * message before its confirm.
 *
 * <p>Published on by one thread. After any exception of the client it must not be published on any
 * more: the client has counted a message that the broker has not seen.
 */
final class PublishChannel {

  private static final Logger log = LoggerFactory.getLogger(PublishChannel.class);

  private final Channel channel;
  private final Runnable wake;
  private final ConcurrentNavigableMap<Long, OnItsWay> unconfirmed = new ConcurrentSkipListMap<>();
  private final Map<String, String> returned = new ConcurrentHashMap<>();

  private record OnItsWay(Promise promise, long since) {}

  /** The client did not take a message because of what is in it. */
  static final class Unpublishable extends Exception {

    private static final long serialVersionUID = 1L;

    Unpublishable(RuntimeException cause) {
      super(cause);
    }
  }

  private PublishChannel(Channel channel, Runnable wake) {
    this.channel = channel;
    this.wake = wake;
  }

  /**
   * Opens one.
   *
   * @param wake is run when something was answered or the channel has closed
   */
  static PublishChannel open(Connection connection, Runnable wake) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection has no channel left");
    }
    PublishChannel opened = new PublishChannel(channel, wake);
    channel.addReturnListener(
        (code, text, exchange, key, properties, body) ->
            opened.returned.put(promiseId(properties), "unroutable: " + code + " " + text));
    channel.addConfirmListener(opened::confirmed, opened::refused);
    channel.addShutdownListener(cause -> wake.run());
    channel.confirmSelect();
    return opened;
  }

  /** Dead letters of one message leave under one id; this tells them apart. */
  static void mark(Map<String, Object> headers, Promise promise) {
    String id = promise.id().toString();
    if (id.equals(promise.messageId())) {
      headers.remove(RabbitMq.PROMISE_HEADER);
    } else {
      headers.put(RabbitMq.PROMISE_HEADER, id);
    }
  }

  private static String promiseId(BasicProperties properties) {
    Object marked =
        properties.getHeaders() == null
            ? null
            : properties.getHeaders().get(RabbitMq.PROMISE_HEADER);
    return String.valueOf(marked == null ? properties.getMessageId() : marked);
  }

  private void confirmed(long number, boolean multiple) {
    answer(number, multiple, null);
  }

  private void refused(long number, boolean multiple) {
    answer(number, multiple, "the broker refused it (nack); is a queue full?");
  }

  private void answer(long number, boolean multiple, @Nullable String refusal) {
    try {
      List<OnItsWay> answered = new ArrayList<>();
      if (multiple) {
        Map<Long, OnItsWay> upTo = unconfirmed.headMap(number, true);
        answered.addAll(upTo.values());
        upTo.clear();
      } else {
        OnItsWay one = unconfirmed.remove(number);
        if (one != null) {
          answered.add(one);
        }
      }
      for (OnItsWay each : answered) {
        String reason = returned.remove(each.promise().id().toString());
        if (reason == null) {
          reason = refusal;
        }
        each.promise().answer(reason == null ? new Answer.Confirmed() : new Answer.Later(reason));
      }
    } catch (Throwable t) {
      // It would close the channel; what has no answer then gets another one.
      log.error("an answer of the broker could not be passed on", t);
    }
    wake.run();
  }

  /**
   * Publishes.
   *
   * @throws Unpublishable if the client refuses the message, which has no answer yet
   * @throws IOException if the channel is dead, or nobody knows how it is
   */
  void publish(Promise promise, BasicProperties properties) throws IOException, Unpublishable {
    long number = channel.getNextPublishSeqNo();
    unconfirmed.put(number, new OnItsWay(promise, System.nanoTime()));
    try {
      channel.basicPublish(
          promise.message().address(),
          promise.message().routingKey(),
          true,
          properties,
          promise.message().body());
    } catch (ShutdownSignalException e) {
      throw new IOException(e);
    } catch (RuntimeException e) {
      unconfirmed.remove(number);
      throw new Unpublishable(e);
    }
    promise.sent();
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  boolean hasUnconfirmed() {
    return !unconfirmed.isEmpty();
  }

  /** How long the oldest has waited for its answer. */
  long oldestNanos() {
    Map.Entry<Long, OnItsWay> first = unconfirmed.firstEntry();
    return first == null ? 0 : System.nanoTime() - first.getValue().since();
  }

  /** What has no answer, in the order in which it was published; to be answered by the caller. */
  List<Promise> takeUnconfirmed() {
    List<Promise> left = new ArrayList<>();
    for (Map.Entry<Long, OnItsWay> e = unconfirmed.pollFirstEntry();
        e != null;
        e = unconfirmed.pollFirstEntry()) {
      left.add(e.getValue().promise());
    }
    return left;
  }

  /** Why it is closed, as far as is known. */
  @Nullable ShutdownSignalException cause() {
    ShutdownSignalException cause = channel.getCloseReason();
    return cause != null ? cause : channel.getConnection().getCloseReason();
  }

  /** What the broker said about a message when it closed this channel or the connection. */
  Reasons.@Nullable Reply blame() {
    ShutdownSignalException cause = cause();
    if (cause == null || cause.isInitiatedByApplication()) {
      return null;
    }
    Reasons.Reply reply = Reasons.reply(cause);
    // an operator closes connections, or the broker stops: no message did that
    return reply == null || reply.code() == AMQP.CONNECTION_FORCED ? null : reply;
  }

  void close() {
    try {
      if (channel.isOpen()) {
        channel.abort();
      }
    } catch (IOException | RuntimeException e) {
      log.debug("a channel was closed without an answer: {}", Reasons.line(e));
    }
  }

  /** Waits until everything is answered or the channel has closed; whether it is answered. */
  boolean awaitAnswers(java.util.concurrent.Semaphore signals, long millis)
      throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (hasUnconfirmed() && isOpen() && System.nanoTime() - deadline < 0) {
      signals.tryAcquire(20, TimeUnit.MILLISECONDS);
    }
    return !hasUnconfirmed();
  }
}
