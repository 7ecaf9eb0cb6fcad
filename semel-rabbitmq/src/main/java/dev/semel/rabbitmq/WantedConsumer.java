package dev.semel.rabbitmq;

import com.rabbitmq.client.Connection;
import dev.semel.spi.Intake;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer that is wanted, beside what there is of it. What is wanted is said by any thread; what
 * there is, is seen and mended by the {@link Reconciler}'s thread alone, which therefore also tells
 * the intake: once per loss, once per subscription.
 *
 * <p><b>When the broker cancels the consumer but leaves the channel open</b> (queue deleted or
 * moved; from RabbitMQ 4.3 the acknowledgement timeout of a quorum queue), the channel is
 * <em>retired</em>: its deliveries stay live and are settled on it, and a new consumer is made on a
 * new channel. AMQP gives no reason with a cancel, so one rule must fit all. After a deletion what
 * is held exists nowhere else: dropping it would lose it. After a timeout it may come a second
 * time, on the new channel or to somebody else: then the claim lets one of the two through, and the
 * broker passes over the late settlement of the other. For that time up to twice the prefetch is
 * held. A retired channel closes with its last settlement, or when the next one is to be retired,
 * so that a handler that hangs cannot collect channels.
 *
 * <p><b>A renewal</b> marks the channels that there are as outdated; the loop gives back what they
 * hold, and then a consumer is lacking like any other. Only if none can be made at once has it been
 * lost, and the intake is told.
 */
final class WantedConsumer {

  private static final Logger log = LoggerFactory.getLogger(WantedConsumer.class);

  private final ConsumerSpec spec;
  private final String queue;
  private final Intake intake;
  private final Runnable wake;
  private final Backoff backoff = new Backoff(System::nanoTime);
  private final CountDownLatch gone = new CountDownLatch(1);
  private volatile boolean wanted = true;
  private volatile boolean closed;
  private volatile @Nullable ConsumerChannel current;
  private volatile @Nullable ConsumerChannel retired;
  private boolean told;
  private boolean warned;

  WantedConsumer(ConsumerSpec spec, Intake intake, Runnable wake) {
    this.spec = spec;
    this.queue = spec.queue();
    this.intake = intake;
    this.wake = wake;
  }

  void wanted(boolean value) {
    wanted = value;
    wake.run();
  }

  /**
   * What is held now is to be given back. A second call before that has happened changes nothing:
   * it means the same channels.
   */
  void renew(String reason) {
    // in this order, in which a channel is moved
    for (ConsumerChannel channel : new ConsumerChannel[] {current, retired}) {
      if (channel != null) {
        channel.outdate(reason);
      }
    }
    wake.run();
  }

  /**
   * What is held, on whichever channel. While nothing is wanted, at least 1 until it is certain
   * that nothing more can come. Takes no lock. A channel that is moved from current to retired is
   * seen in one place or in both, as it is looked for in the order in which it is moved.
   */
  int held() {
    ConsumerChannel now = current;
    ConsumerChannel old = retired;
    // before the counts: what comes in between is counted
    int least = !wanted && (expects(now) || expects(old)) ? 1 : 0;
    return Math.max(least, held(now) + (old == now ? 0 : held(old)));
  }

  private static boolean expects(@Nullable ConsumerChannel channel) {
    return channel != null && channel.expects();
  }

  private static int held(@Nullable ConsumerChannel channel) {
    return channel == null ? 0 : channel.held();
  }

  /** Nothing is handed out or settled from now on; the rest is done by the loop. */
  void close() {
    closed = true;
    end(current);
    end(retired);
    wake.run();
  }

  private static void end(@Nullable ConsumerChannel channel) {
    if (channel != null) {
      channel.end();
    }
  }

  boolean isClosed() {
    return closed;
  }

  boolean isSubscribed() {
    ConsumerChannel now = current;
    return now != null && now.consuming();
  }

  boolean awaitGone(long nanos) throws InterruptedException {
    return gone.await(nanos, TimeUnit.NANOSECONDS);
  }

  // What follows is for the loop's thread.

  /** Sees what has become of the consumer, and ends what is not wanted any more. */
  void observe() {
    replaceOutdated();
    ConsumerChannel now = current;
    if (now != null && !now.live()) {
      current = null;
      now.abandon();
      lost(now.reason());
    } else if (now != null && now.cancelledByBroker()) {
      retire(now);
      lost("consumer cancelled by the broker (queue deleted or moved, or acknowledgement timeout)");
    } else if (now != null && !wanted && now.consuming()) {
      if (spec.inOrder()) {
        // A mere cancel would let the next consumer begin with what comes after that which is held.
        told = false;
        current = null;
        now.shut();
      } else {
        cancel(now);
      }
    }
    ConsumerChannel old = retired;
    if (old != null && old.held() == 0) {
      old.shut();
      retired = null;
    }
  }

  private void replaceOutdated() {
    if (shutIfOutdated(current)) {
      current = null;
    }
    if (shutIfOutdated(retired)) {
      retired = null;
    }
  }

  private boolean shutIfOutdated(@Nullable ConsumerChannel channel) {
    String reason = channel == null ? null : channel.outdated();
    if (channel == null || reason == null) {
      return false;
    }
    log.info("queue {}: {} deliveries go back, for a new start: {}", queue, channel.held(), reason);
    channel.shut();
    return true;
  }

  private void retire(ConsumerChannel channel) {
    ConsumerChannel older = retired;
    if (older != null) {
      older.shut();
    }
    retired = channel;
    current = null;
    try {
      channel.retire();
    } catch (IOException | RuntimeException e) {
      log.debug("queue {}: the cancel was not confirmed: {}", queue, Reasons.line(e));
    }
  }

  private void cancel(ConsumerChannel channel) {
    told = false;
    try {
      channel.cancel();
    } catch (IOException | RuntimeException e) {
      log.debug("queue {}: the consumer was not cancelled: {}", queue, Reasons.line(e));
      channel.abandon();
      current = null;
    }
  }

  private void lost(String reason) {
    backoff.failed();
    tellLoss(reason);
  }

  private void tellLoss(String reason) {
    if (told) {
      told = false;
      if (wanted && !closed) {
        tell(() -> intake.lost(reason));
      }
    }
  }

  /** Whether there should be a consumer and is none. */
  boolean isLacking() {
    return wanted && !closed && !isSubscribed() && !isFull();
  }

  /**
   * The broker counts the prefetch for each consumer, so a new one beside deliveries that are still
   * held would double it, and a database that comes and goes would fill the heap.
   */
  private boolean isFull() {
    ConsumerChannel now = current;
    return now != null && now.held() >= spec.prefetch();
  }

  /** When to try next, if it is lacking: 0 means now. */
  long nanosLeft() {
    return backoff.nanosLeft();
  }

  void consume(Connection connection) {
    ConsumerChannel channel = current;
    try {
      if (channel == null) {
        channel = ConsumerChannel.open(connection, spec, intake, wake);
        current = channel;
        if (closed) {
          channel.end(); // close() may have come before there was anything to end
        }
      }
      if (!channel.consume(() -> wanted)) {
        return;
      }
    } catch (IOException | RuntimeException e) {
      backoff.failed();
      if (channel != null) {
        channel.abandon();
      }
      current = null;
      notConsuming(e);
      tellLoss("no consumer after a new start: " + Reasons.line(e));
      return;
    }
    backoff.succeeded();
    if (warned) {
      warned = false;
      log.info("consuming from queue {} again", queue);
    }
    told = true;
    tell(intake::subscribed);
  }

  /** At the end of a pass: an outdated consumer that could not be replaced in it is a lost one. */
  void conclude() {
    if (current == null) {
      tellLoss("no consumer after a new start");
    }
  }

  private void notConsuming(Exception e) {
    if (warned) {
      log.debug("still no consumer on queue {}: {}", queue, Reasons.line(e));
    } else {
      warned = true;
      log.warn("no consumer on queue {} ({}); trying until there is one", queue, Reasons.line(e));
    }
  }

  private void tell(Runnable call) {
    try {
      call.run();
    } catch (Throwable t) {
      log.error("queue {}: the intake failed", queue, t);
    }
  }

  void shut() {
    for (ConsumerChannel channel : new ConsumerChannel[] {current, retired}) {
      if (channel != null) {
        channel.shut();
      }
    }
    current = null;
    retired = null;
  }

  void gone() {
    gone.countDown();
  }
}
