package dev.semel.rabbitmq;

import dev.semel.spi.Delivery;
import dev.semel.spi.Subscription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** The engine's hand on one {@link WantedConsumer}. */
final class RabbitSubscription implements Subscription {

  private static final long CLOSE_SECONDS = 5;

  private final WantedConsumer consumer;
  private final Reconciler reconciler;

  RabbitSubscription(WantedConsumer consumer, Reconciler reconciler) {
    this.consumer = consumer;
    this.reconciler = reconciler;
  }

  @Override
  public void acknowledge(List<? extends Delivery> deliveries) {
    perChannel(deliveries, ConsumerChannel::acknowledge);
  }

  @Override
  public void giveBack(List<? extends Delivery> deliveries) {
    perChannel(deliveries, ConsumerChannel::giveBack);
  }

  /** Each delivery goes to the channel it came from, whatever has become of that. */
  private static void perChannel(
      List<? extends Delivery> deliveries, BiConsumer<ConsumerChannel, List<Long>> settle) {
    Map<ConsumerChannel, List<Long>> tags = new LinkedHashMap<>();
    for (Delivery each : deliveries) {
      if (!(each instanceof RabbitDelivery delivery)) {
        throw new IllegalArgumentException(
            "not a delivery of RabbitMQ: " + each.getClass().getName());
      }
      tags.computeIfAbsent(delivery.channel(), any -> new ArrayList<>()).add(delivery.tag());
    }
    tags.forEach(settle);
  }

  @Override
  public void wanted(boolean wanted) {
    consumer.wanted(wanted);
  }

  @Override
  public int held() {
    return consumer.held();
  }

  @Override
  public void renew(String reason) {
    consumer.renew(reason);
  }

  @Override
  public boolean subscribed() {
    return consumer.isSubscribed();
  }

  /** Returns when all is closed, or after 5 s; what is left then goes on in the background. */
  @Override
  public void close() {
    consumer.close();
    if (reconciler.isOwnThread() || reconciler.isGivenUp()) {
      return; // waiting would be for ourselves, or for a broker that has not answered before
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    boolean gone = false;
    boolean interrupted = false;
    for (long left = deadline - System.nanoTime(); !gone && left > 0; ) {
      try {
        gone = consumer.awaitGone(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!gone) {
      reconciler.giveUp();
    }
  }
}
