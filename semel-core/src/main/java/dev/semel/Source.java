package dev.semel;

/**
 * Where a consumer's messages come from. An adapter makes it, for example {@code
 * RabbitMq.queue(uri, "payments")}; what an adapter implements is {@code
 * dev.semel.spi.MessageSource}.
 */
public interface Source {

  /**
   * A stable name without credentials, host or port, for example {@code rabbitmq:/queue/payments}.
   * A consumer is registered with it at its first start, because a consumer name on another source
   * would take that source's messages for copies.
   *
   * @return the name
   */
  String name();
}
