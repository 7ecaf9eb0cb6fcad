package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.semel.spi.Intake;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
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
  private final String queue;
  private final Intake intake;
  private final Runnable wake;
  private final UnsettledTags unsettled = new UnsettledTags(); // guarded by this
  private int consumers;
  private volatile @Nullable String consumerTag;
  private volatile boolean established;
  private volatile boolean cancelled;
  private volatile boolean ended;
  private volatile @Nullable String fault;

  private ConsumerChannel(Channel channel, String queue, Intake intake, Runnable wake) {
    this.channel = channel;
    this.queue = queue;
    this.intake = intake;
    this.wake = wake;
  }

  static ConsumerChannel open(
      Connection connection, String queue, int prefetch, Intake intake, Runnable wake)
      throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection has no channel left");
    }
    ConsumerChannel opened = new ConsumerChannel(channel, queue, intake, wake);
    try {
      channel.addShutdownListener(cause -> wake.run());
      channel.setDefaultConsumer(opened.new Strays());
      channel.basicQos(prefetch);
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
    return !ended && fault == null && channel.isOpen() && channel.getConnection().isOpen();
  }

  /** Whether there is a consumer at the broker, as far as is known. */
  boolean consuming() {
    return established && !cancelled && live();
  }

  boolean cancelledByBroker() {
    return cancelled;
  }

  /** Deliveries that are not settled yet. */
  synchronized int held() {
    return unsettled.size();
  }

  synchronized boolean isSettled() {
    return unsettled.isEmpty();
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
    return (cause.isHardError() ? "connection closed: " : "channel closed: ") + Reasons.line(cause);
  }

  void consume() throws IOException {
    // a tag of our own, so that a cancel that comes before the answer is known to be meant
    String tag = "semel-" + ++consumers;
    consumerTag = tag;
    channel.basicConsume(queue, false, tag, this::deliver, this::cancelledBy);
    established = true;
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

  private void cancelledBy(String tag) {
    if (tag.equals(consumerTag)) {
      cancelled = true;
      wake.run();
    }
  }

  private void deliver(String tag, Delivery delivery) {
    long deliveryTag = delivery.getEnvelope().getDeliveryTag();
    try {
      synchronized (this) {
        // before all else: a tag that is not known to be held would be taken by a multiple-ack
        unsettled.add(deliveryTag);
      }
      if (live()) {
        // else the client had it in its buffer while the channel closed: it comes again elsewhere
        intake.received(
            new RabbitDelivery(
                this,
                deliveryTag,
                delivery.getEnvelope().isRedeliver(),
                Messages.of(delivery.getEnvelope(), delivery.getProperties(), delivery.getBody())));
      }
    } catch (Throwable t) {
      // nobody would ever settle it; with the channel it goes back to the broker
      fail("a delivery could not be handed over: " + t.getClass().getSimpleName());
      log.error("a delivery from queue {} could not be handed over", queue, t);
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
    try {
      for (long tag : unsettled.take(tags)) {
        channel.basicNack(tag, false, true);
      }
    } catch (IOException | RuntimeException e) {
      unsent(e);
    }
    wakeIfDone();
  }

  /** What was not sent is held at the broker as long as the channel lives, so it must not live. */
  private void unsent(Exception e) {
    log.debug("queue {}: a settlement was not sent: {}", queue, Reasons.line(e));
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

  /** Gives everything back and closes, in this order: a close alone counts as a failure of each. */
  void shut() {
    end();
    if (!channel.isOpen()) {
      return;
    }
    try {
      cancel();
      synchronized (this) {
        // tag 0 is "all that are outstanding", those still in the client's buffer included
        channel.basicNack(0, true, true);
      }
      channel.close();
    } catch (IOException | TimeoutException | RuntimeException e) {
      log.debug("queue {}: closed without an answer: {}", queue, Reasons.line(e));
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
      log.debug("queue {}: {}", queue, Reasons.line(e));
    }
  }
}
