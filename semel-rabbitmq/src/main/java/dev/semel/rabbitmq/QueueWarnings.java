package dev.semel.rabbitmq;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what of a queue's own arguments can cost messages or their order. Sees no policies. */
final class QueueWarnings {

  /**
   * A message that was held beside one that kills its process comes back twice before the other one
   * is found out.
   */
  private static final int LEAST_LIMIT = 3;

  private static final long DEFAULT_LIMIT = 20;

  private final List<String> lines = new ArrayList<>();
  private final String queue;
  private final QueueFacts facts;

  private QueueWarnings(String queue, QueueFacts facts) {
    this.queue = "queue '" + OneLine.of(queue) + "' ";
    this.facts = facts;
  }

  /** One line for each thing to be warned of. */
  static List<String> of(String queue, QueueFacts facts) {
    QueueWarnings warnings = new QueueWarnings(queue, facts);
    if (facts.stream()) {
      warnings.add(
          "is a stream: each consumer gets what comes after it has subscribed, and what comes"
              + " before that it never sees; use a quorum queue or a classic one");
      return warnings.lines;
    }
    warnings.aboutLasting();
    if (facts.quorum()) {
      warnings.aboutDeliveryLimit();
      warnings.aboutOrder();
    }
    return warnings.lines;
  }

  private void add(String what) {
    lines.add(queue + what);
  }

  private void aboutLasting() {
    if (facts.autoDelete()) {
      add(
          "is an auto-delete queue: RabbitMQ deletes it with its messages when its last consumer"
              + " stops or pauses; declare it without auto-delete");
    }
    if (!facts.durable()) {
      add("is not durable: it is gone after a restart of RabbitMQ; declare it as durable");
    }
  }

  private void aboutDeliveryLimit() {
    Long argument = facts.deliveryLimit();
    Long limit = limit();
    if (limit == null) {
      return;
    }
    if (argument != null && limit < 0) {
      add(
          "has x-delivery-limit "
              + limit
              + ", with which RabbitMQ before 4.0 takes a message away at its first return; leave"
              + " the argument out, or set 20");
    } else if (limit < LEAST_LIMIT) {
      add(
          "has x-delivery-limit "
              + limit
              + ": a message that is returned more often is taken away, and two returns are normal"
              + " for one that was held beside a message that kills its process; set at least "
              + LEAST_LIMIT
              + ", better 20");
    }
    if (!facts.deadLetters()) {
      add(
          "has no x-dead-letter-exchange: unless a policy names one, RabbitMQ drops a message"
              + " without a trace after "
              + Math.max(0, limit)
              + " returns ("
              + (argument == null ? "the default since 4.0" : "x-delivery-limit")
              + "); name a dead-letter exchange, by the argument or by a policy");
    }
  }

  /** How many returns a message survives; null for any number. */
  private @Nullable Long limit() {
    Long argument = facts.deliveryLimit();
    boolean modern = facts.version().atLeast(4, 0);
    if (argument == null) {
      return modern ? (Long) DEFAULT_LIMIT : null;
    }
    return modern && argument < 0 ? null : argument;
  }

  private void aboutOrder() {
    if (facts.singleActiveConsumer() && limit() == null && !facts.version().atLeast(4, 3)) {
      add(
          "has a single active consumer but no delivery limit, and RabbitMQ before 4.3 then puts a"
              + " message that is returned behind all others, out of order; set an"
              + " x-delivery-limit, for example 20");
    }
  }
}
