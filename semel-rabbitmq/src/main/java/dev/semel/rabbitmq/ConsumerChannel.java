package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.semel.Message;
import dev.semel.spi.Intake;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel with at most one consumer on it: the generation to which its deliveries belong. They
 * are settled here or nowhere, since a tag means another message on another channel. Once not live
 * it stays so; a new one is made in its place.
 *
 * <p>Consuming and closing are the business of the {@link Reconciler}'s thread; settling may be
 * called by any thread.
 */
final class ConsumerChannel {

  private static final Logger log = LoggerFactory.getLogger(ConsumerChannel.class);

  private final Channel channel;
  private final ConsumerSpec spec;
  private final Intake intake;
  private final Runnable wake;
  private final UnsettledTags unsettled = new UnsettledTags(); // guarded by this
  private volatile int held; // how many those are, for who must not wait for the lock
  private int consumers;
  private volatile @Nullable String consumerTag;
  private volatile @Nullable String deliversTo;
  private volatile boolean established;
  private volatile boolean cancelled;
  private volatile boolean ended;
  private volatile @Nullable String fault;
  private volatile @Nullable String outdated;

  private ConsumerChannel(Channel channel, ConsumerSpec spec, Intake intake, Runnable wake) {
    this.channel = channel;
    this.spec = spec;
    this.intake = intake;
    this.wake = wake;
  }

  static ConsumerChannel open(
      Connection connection, ConsumerSpec spec, Intake intake, Runnable wake) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection has no channel left");
    }
    ConsumerChannel opened = new ConsumerChannel(channel, spec, intake, wake);
    try {
      channel.addShutdownListener(cause -> wake.run());
      channel.setDefaultConsumer(opened.new Strays());
      channel.basicQos(spec.prefetch());
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.abandon();
      throw e;
    }
  }

  /**
   * Whether its deliveries can still be settled. Takes no lock, since a lock may wait for a socket.
   */
  boolean live() {
    return !ended
        && !(spec.inOrder() && outdated != null)
        && fault == null
        && channel.isOpen()
        && channel.getConnection().isOpen();
  }

  /** Whether there is a consumer at the broker, as far as is known. */
  boolean consuming() {
    return established && !cancelled && live();
  }

  boolean cancelledByBroker() {
    return cancelled;
  }

  /** Deliveries that were handed over and are not settled yet. */
  int held() {
    return live() ? held : 0;
  }

  /** Whether there may be deliveries that are on their way here, or in the client's buffer. */
  boolean expects() {
    return deliversTo != null && live();
  }

  /** Says that it is to be given up, though nothing is wrong with it. */
  void outdate(String reason) {
    outdated = reason;
  }

  @Nullable String outdated() {
    return outdated;
  }

  /** Why it is not live any more. */
  String reason() {
    String known = fault;
    if (known != null) {
      return known;
    }
    ShutdownSignalException cause = channel.getCloseReason();
    if (cause == null) {
      cause = channel.getConnection().getCloseReason();
    }
    if (cause == null) {
      return "closed";
    }
    String what = cause.isHardError() ? "connection closed" : "channel closed";
    // what the broker says names what it is about; the client, for example at a message that is
    // larger than it reads, does not
    String where =
        Reasons.reply(cause) == null ? " while queue '" + spec.queue() + "' was read" : "";
    return what + where + ": " + Reasons.line(cause);
  }

  /**
   * Makes a consumer, unless none is wanted any more. That is asked after it is announced: who
   * stops wanting and then sees that nothing is expected here, can rely on it.
   *
   * @return whether there is one
   */
  boolean consume(BooleanSupplier wanted) throws IOException {
    // a tag of our own, so that a cancel that comes before the answer is known to be meant
    String tag = "semel-" + ++consumers;
    consumerTag = tag;
    deliversTo = tag;
    if (!wanted.getAsBoolean()) {
      consumerTag = null;
      deliversTo = null;
      return false;
    }
    channel.basicConsume(spec.queue(), false, tag, new Taker());
    established = true;
    return true;
  }

  /** Takes nothing new; what is held stays held, and can still be settled. */
  void cancel() throws IOException {
    String tag = consumerTag;
    consumerTag = null;
    established = false;
    if (tag == null || cancelled) {
      return;
    }
    try {
      channel.basicCancel(tag);
    } catch (ChannelContinuationTimeoutException e) {
      throw e;
    } catch (IOException e) {
      if (!live()) {
        throw e;
      }
      // the client knows no such consumer: the broker was faster
    }
  }

  /**
   * Tells the broker that its own cancel is final. RabbitMQ 4.3 would keep the consumer that timed
   * out, as the active one of a single-active-consumer queue too, and deliver to it again once its
   * late deliveries are settled. Not by {@code basicCancel}, which does not know the tag any more.
   */
  void retire() throws IOException {
    channel.rpc(new AMQP.Basic.Cancel.Builder().consumerTag(consumerTag).build());
  }

  /** The client calls it by one thread at a time, in the order in which things came. */
  private final class Taker extends DefaultConsumer {

    Taker() {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
      deliver(envelope, properties, body);
    }

    /** Our own cancel; everything that came before it has been handed over. */
    @Override
    public void handleCancelOk(String tag) {
      endOf(tag);
    }

    /** The broker's. */
    @Override
    public void handleCancel(String tag) {
      endOf(tag);
      if (tag.equals(consumerTag)) {
        cancelled = true;
        wake.run();
      }
    }

    private void endOf(String tag) {
      if (tag.equals(deliversTo)) {
        deliversTo = null;
      }
    }
  }

  private void deliver(Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
    try {
      synchronized (this) {
        // before all else: a tag that is not known to be held would be taken by a multiple-ack
        unsettled.add(envelope.getDeliveryTag());
        held = unsettled.size();
      }
      if (live()) {
        // else the client had it in its buffer while the channel closed: it comes again elsewhere
        Message message = Messages.of(envelope, properties, body);
        intake.received(new RabbitDelivery(this, envelope, message, spec.maxMessageBytes()));
      }
    } catch (Throwable t) {
      // nobody would ever settle it; with the channel it goes back to the broker
      fail("a delivery could not be handed over: " + t.getClass().getSimpleName());
      log.error("a delivery from queue {} could not be handed over", spec.queue(), t);
    }
  }

  /**
   * What comes for a consumer that was cancelled goes back at once. Without somebody to take it the
   * client would break the whole connection.
   */
  private final class Strays extends DefaultConsumer {

    Strays() {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
      synchronized (ConsumerChannel.this) {
        unsettled.add(envelope.getDeliveryTag());
        giveBack(List.of(envelope.getDeliveryTag()));
      }
    }
  }

  synchronized void acknowledge(List<Long> tags) {
    if (!live()) {
      return;
    }
    UnsettledTags.Acks acks = unsettled.acknowledge(tags);
    held = unsettled.size();
    try {
      if (acks.upTo() > 0) {
        channel.basicAck(acks.upTo(), true);
      }
      for (long tag : acks.single()) {
        channel.basicAck(tag, false);
      }
    } catch (IOException | RuntimeException e) {
      unsent(e);
    }
    wakeIfDone();
  }

  /** Nack, not reject: since RabbitMQ 4.3 only a reject counts as a failure of the message. */
  synchronized void giveBack(List<Long> tags) {
    if (!live()) {
      return;
    }
    List<Long> taken = unsettled.take(tags);
    held = unsettled.size();
    try {
      for (long tag : taken) {
        channel.basicNack(tag, false, true);
      }
    } catch (IOException | RuntimeException e) {
      unsent(e);
    }
    wakeIfDone();
  }

  /** What was not sent is held at the broker as long as the channel lives, so it must not live. */
  private void unsent(Exception e) {
    log.debug("queue {}: a settlement was not sent: {}", spec.queue(), Reasons.line(e));
    fail("could not send a settlement: " + Reasons.line(e));
  }

  private void wakeIfDone() {
    if (cancelled ? unsettled.isEmpty() : !established) {
      // either it can be shut, or there may be room for a consumer again
      wake.run();
    }
  }

  private void fail(String reason) {
    if (channel.isOpen()) {
      fault = reason;
    }
    wake.run();
  }

  /** From now on nothing is handed out or settled. */
  void end() {
    ended = true;
  }

  /**
   * Gives everything back, in its order, and closes.
   *
   * <p>A close alone does both at once. Since RabbitMQ 4.3 it counts as a failure of each message,
   * so there they are returned first. Not before 4.3: the count is the same, and a quorum queue
   * without a delivery limit puts what is returned behind all others, but what a closed channel
   * held back in its place. Not with a single active consumer either: once the consumer is
   * cancelled another process gets the messages that come after those that are still held here.
   */
  void shut() {
    end();
    if (!channel.isOpen()) {
      return;
    }
    try {
      if (!spec.inOrder() && ServerVersion.of(channel.getConnection()).atLeast(4, 3)) {
        cancel();
        synchronized (this) {
          // tag 0 is "all that are outstanding", those still in the client's buffer included
          channel.basicNack(0, true, true);
        }
      }
      channel.close();
    } catch (IOException | TimeoutException | RuntimeException e) {
      log.debug("queue {}: closed without an answer: {}", spec.queue(), Reasons.line(e));
      abandon();
    }
  }

  /** Leaves it to a thread of its own to close the channel, since the broker may not answer. */
  void abandon() {
    end();
    if (channel.isOpen()) {
      DaemonThreads.named("semel-rabbitmq-abandon", this::abort).start();
    }
  }

  private void abort() {
    try {
      channel.abort();
    } catch (IOException | RuntimeException e) {
      log.debug("queue {}: {}", spec.queue(), Reasons.line(e));
    }
  }
}
