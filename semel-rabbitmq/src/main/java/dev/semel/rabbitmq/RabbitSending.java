package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.semel.Outgoing;
import dev.semel.spi.Answer;
import dev.semel.spi.MessageSender;
import dev.semel.spi.Promise;
import dev.semel.spi.Sending;
import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages on a connection of its own, persistent, mandatory and confirmed, many at a
 * time. One thread, which survives anything.
 *
 * <p><b>When the broker closes the channel</b> over a message (an exchange that is not there, a
 * message that is too large) it does not say over which one, and all that had no confirm may or may
 * not have arrived. So all of them are <em>suspects</em>: they go one at a time, on a channel for
 * that, until each has its answer; the one that closes that channel too is to blame. So a bad
 * message costs its neighbours one copy, and itself alone after that. An exchange that was found
 * missing stays a suspect, and is asked for at growing intervals only, until a message to it
 * arrives.
 */
final class RabbitSending implements Sending {

  private static final Logger log = LoggerFactory.getLogger(RabbitSending.class);

  private static final int CLOSE_MILLIS = 2_000;
  private static final long LONE_MILLIS = 30_000;
  private static final long RETIRE_MILLIS = 10_000;
  private static final Duration CONFIRM_PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_SUSPECTS = 10_000;
  private static final int MOST_CONNECTION_DEATHS = 2;

  private final Broker broker;
  private final String name;
  private final MessageSender.Outlook outlook;
  private final ConcurrentLinkedQueue<Promise> queue = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Promise> alone = new ConcurrentLinkedQueue<>();
  private final Semaphore signals = new Semaphore(0);
  private final Backoff backoff = new Backoff(System::nanoTime);
  private final Thread thread;

  /** Messages that may have closed a channel, and how often one closed the connection alone. */
  private final Map<UUID, Integer> suspects =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Integer> eldest) {
          return size() > MOST_SUSPECTS;
        }
      };

  private final Map<String, Missing> missing = new HashMap<>();

  private volatile @Nullable Connection connection;
  private volatile @Nullable String blocked;
  private volatile boolean closed;
  private @Nullable PublishChannel channel;
  private @Nullable PublishChannel loneChannel;

  /** An exchange that cannot be published to. */
  private static final class Missing {
    final Backoff backoff = new Backoff(System::nanoTime);
    String reason = "";
  }

  RabbitSending(Broker broker, String destination, MessageSender.Outlook outlook) {
    this.broker = broker;
    this.name = "semel-outbox:" + destination;
    this.outlook = outlook;
    this.thread = DaemonThreads.named("semel-rabbitmq-send-" + destination, this::run);
  }

  RabbitSending start() {
    thread.start();
    return this;
  }

  @Override
  public void send(List<? extends Promise> promises) {
    queue.addAll(promises);
    wake();
    if (closed) {
      unsent();
    }
  }

  @Override
  public boolean ready() {
    Connection now = connection;
    return now != null && now.isOpen() && blocked == null && !closed;
  }

  private void wake() {
    signals.release();
  }

  private void run() {
    while (!closed) {
      try {
        pass();
      } catch (InterruptedException e) {
        log.debug("{}: an interrupt was passed over", name);
      } catch (Throwable t) {
        survive(t);
      }
    }
    unsent();
  }

  private void survive(Throwable t) {
    try {
      log.error("{}: publishing goes on after", name, t);
      retire();
    } catch (Throwable again) {
      // with the connection everything gets its answer
      dropConnection();
    }
  }

  private void pass() throws InterruptedException {
    Connection open = connected();
    if (open == null) {
      unsent();
      signals.tryAcquire(Math.max(1, backoff.nanosLeft()), TimeUnit.NANOSECONDS);
      signals.drainPermits();
      return;
    }
    if (channel != null && !channel.isOpen()) {
      afterDeath(channel);
      channel = null;
      return;
    }
    PublishChannel lone = loneChannel;
    if (lone != null && !lone.isOpen()) {
      // usually nothing is on it here
      loneChannel = null;
      lone.takeUnconfirmed().forEach(p -> p.answer(new Answer.Unsent()));
    }
    if (blocked != null) {
      signals.tryAcquire(100, TimeUnit.MILLISECONDS);
      return;
    }
    Promise next = alone.poll();
    if (next != null) {
      sendAlone(open, next);
      return;
    }
    next = queue.poll();
    if (next == null) {
      patience();
      signals.tryAcquire(100, TimeUnit.MILLISECONDS);
      signals.drainPermits();
    } else if (!next.maySend()) {
      next.answer(new Answer.Unsent());
    } else if (suspects.containsKey(next.id()) || missing.containsKey(next.message().address())) {
      sendAlone(open, next);
    } else {
      publish(open, next);
    }
  }

  private void publish(Connection open, Promise promise) throws InterruptedException {
    PublishChannel on = channel;
    try {
      if (on == null) {
        on = PublishChannel.open(open, this::wake);
        channel = on;
      }
      on.publish(promise, properties(promise));
    } catch (PublishChannel.Unpublishable e) {
      never(promise, e);
      retire();
    } catch (IOException | RuntimeException e) {
      log.debug("{}: {}", name, Reasons.line(e));
      if (on == null) {
        promise.answer(new Answer.Unsent());
        dropConnection();
      } else if (on.isOpen()) {
        // nobody knows what was written
        dropConnection();
      }
    }
  }

  private static void never(Promise promise, PublishChannel.Unpublishable e) {
    promise.answer(new Answer.Never("the client cannot publish it: " + Reasons.line(e)));
  }

  /** After an exception of the client: what is on its way gets its answer, then comes a new one. */
  private void retire() throws InterruptedException {
    PublishChannel old = channel;
    channel = null;
    if (old == null) {
      return;
    }
    if (old.isOpen() && old.awaitAnswers(signals, RETIRE_MILLIS)) {
      old.close();
    } else if (old.isOpen()) {
      old.close();
      old.takeUnconfirmed().forEach(p -> p.answer(new Answer.Unsent()));
    } else {
      afterDeath(old);
    }
  }

  /** The broker does not answer: the connection is of no use. */
  private void patience() {
    PublishChannel now = channel;
    if (now != null && now.oldestNanos() > CONFIRM_PATIENCE.toNanos()) {
      log.warn(
          "{}: no confirm for {} s; the connection is cut", name, CONFIRM_PATIENCE.toSeconds());
      dropConnection();
    }
  }

  private void afterDeath(PublishChannel dead) {
    List<Promise> left = dead.takeUnconfirmed();
    Reasons.Reply blame = dead.blame();
    if (blame == null) {
      left.forEach(p -> p.answer(new Answer.Unsent()));
      return;
    }
    log.warn(
        "{}: the broker closed the channel ({}); {} messages without a confirm are sent one by one",
        name,
        blame,
        left.size());
    for (Promise promise : left) {
      suspects.putIfAbsent(promise.id(), 0);
      alone.add(promise);
    }
  }

  private void sendAlone(Connection open, Promise promise) throws InterruptedException {
    Missing absent = missing.get(promise.message().address());
    if (absent != null && !absent.backoff.isDue()) {
      promise.answer(new Answer.Later(absent.reason));
      suspects.remove(promise.id());
      return;
    }
    if (!promise.maySend()) {
      promise.answer(new Answer.Unsent());
      return;
    }
    PublishChannel on = loneChannel;
    try {
      if (on == null || !on.isOpen()) {
        on = PublishChannel.open(open, this::wake);
        loneChannel = on;
      }
      on.publish(promise, properties(promise));
    } catch (PublishChannel.Unpublishable e) {
      never(promise, e);
      suspects.remove(promise.id());
      on.close();
      loneChannel = null;
      return;
    } catch (IOException | RuntimeException e) {
      log.debug("{}: {}", name, Reasons.line(e));
    }
    if (on == null) {
      promise.answer(new Answer.Unsent());
      dropConnection();
      return;
    }
    boolean answered = on.awaitAnswers(signals, LONE_MILLIS);
    while (!answered && on.isOpen() && blocked != null && !closed) {
      answered = on.awaitAnswers(signals, LONE_MILLIS);
    }
    if (answered && on.isOpen()) {
      suspects.remove(promise.id());
      missing.remove(promise.message().address());
      return;
    }
    loneChannel = null;
    on.takeUnconfirmed();
    promise.answer(closedOver(promise, on));
    on.close();
  }

  /** What the end of a channel says about the only message that was on it. */
  private Answer closedOver(Promise promise, PublishChannel dead) {
    Reasons.Reply blame = dead.isOpen() ? null : dead.blame();
    if (blame == null) {
      return new Answer.Unsent();
    }
    ShutdownSignalException cause = dead.cause();
    if (cause != null && cause.isHardError()) {
      int deaths = suspects.merge(promise.id(), 1, Integer::sum);
      if (deaths < MOST_CONNECTION_DEATHS) {
        return new Answer.Unsent();
      }
      suspects.remove(promise.id());
      return new Answer.Never("the broker closes the connection over it: " + blame);
    }
    suspects.remove(promise.id());
    if (blame.code() == AMQP.NOT_FOUND || blame.code() == AMQP.ACCESS_REFUSED) {
      Missing absent = missing.computeIfAbsent(promise.message().address(), a -> new Missing());
      absent.reason = blame.toString();
      absent.backoff.failed();
      return new Answer.Later(blame.toString());
    }
    return new Answer.Never("the broker refuses it: " + blame);
  }

  private static BasicProperties properties(Promise promise) throws PublishChannel.Unpublishable {
    Outgoing message = promise.message();
    try {
      Map<String, Object> headers = new LinkedHashMap<>();
      message.headers().forEach((name, value) -> headers.put(name, HeaderValues.toAmqp(value)));
      headers.put(RabbitMq.ATTEMPT_HEADER, promise.attempt());
      PublishChannel.mark(headers, promise);
      if (message.notBefore() != null) {
        headers.put(RabbitMq.NOT_BEFORE_HEADER, Date.from(message.notBefore()));
      }
      return new BasicProperties.Builder()
          .messageId(promise.messageId())
          .type(message.type())
          .contentType(message.contentType())
          .timestamp(Date.from(promise.createdAt()))
          .deliveryMode(2)
          .headers(headers)
          .build();
    } catch (RuntimeException e) {
      throw new PublishChannel.Unpublishable(e);
    }
  }

  private @Nullable Connection connected() {
    Connection now = connection;
    if (now != null && now.isOpen()) {
      return now;
    }
    if (now != null) {
      connection = null;
      lost(now);
    }
    return backoff.isDue() && !closed ? connect() : null;
  }

  private void lost(Connection dead) {
    backoff.failed();
    ShutdownSignalException cause = dead.getCloseReason();
    outlook.away(cause == null ? "connection closed" : Reasons.line(cause));
    blocked = null;
    if (channel != null) {
      afterDeath(channel);
      channel = null;
    }
    if (loneChannel != null) {
      loneChannel.takeUnconfirmed().forEach(p -> p.answer(new Answer.Unsent()));
      loneChannel = null;
    }
    // those that are to go alone are known by their ids when they come again
    unsent();
  }

  private @Nullable Connection connect() {
    try {
      Connection opened = broker.connect(name, thread.getName() + "-client");
      opened.addShutdownListener(cause -> wake());
      opened.addBlockedListener(this::blocked, this::unblocked);
      connection = opened;
      backoff.succeeded();
      outlook.back();
      return opened;
    } catch (IOException | TimeoutException | RuntimeException e) {
      backoff.failed();
      outlook.away(String.valueOf(new Refusals(broker.uri()).ofConnection(e).getMessage()));
      return null;
    }
  }

  private void blocked(String reason) {
    blocked = reason;
    outlook.away("the broker takes no messages: " + OneLine.of(reason));
  }

  private void unblocked() {
    blocked = null;
    outlook.back();
    wake();
  }

  private void dropConnection() {
    Connection broken = connection;
    if (broken != null) {
      broken.abort(CLOSE_MILLIS);
    }
  }

  private void unsent() {
    for (Promise p = queue.poll(); p != null; p = queue.poll()) {
      p.answer(new Answer.Unsent());
    }
    for (Promise p = alone.poll(); p != null; p = alone.poll()) {
      p.answer(new Answer.Unsent());
    }
  }

  @Override
  public void close() {
    closed = true;
    wake();
    try {
      thread.join(200);
      dropConnection();
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      dropConnection();
      Thread.currentThread().interrupt();
    }
    for (PublishChannel last : new PublishChannel[] {channel, loneChannel}) {
      if (last != null) {
        last.takeUnconfirmed().forEach(p -> p.answer(new Answer.Unsent()));
      }
    }
    unsent();
  }
}
