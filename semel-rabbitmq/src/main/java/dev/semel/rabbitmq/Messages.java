package dev.semel.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import dev.semel.Message;

/** From AMQP to {@link Message}. Total: whatever the producer sent, there is a message. */
final class Messages {

  private Messages() {}

  static Message of(Envelope envelope, BasicProperties properties, byte[] body) {
    Message.Builder builder =
        Message.builder()
            .id(properties.getMessageId())
            .type(properties.getType())
            .contentType(properties.getContentType())
            .body(body)
            .property("content-encoding", properties.getContentEncoding())
            .property("correlation-id", properties.getCorrelationId())
            .property("reply-to", properties.getReplyTo())
            .property("expiration", properties.getExpiration())
            .property("priority", properties.getPriority())
            .property("delivery-mode", properties.getDeliveryMode())
            .property("app-id", properties.getAppId())
            .property("user-id", properties.getUserId())
            .property("cluster-id", properties.getClusterId())
            .property("exchange", envelope.getExchange())
            .property("routing-key", envelope.getRoutingKey());
    if (properties.getTimestamp() != null) {
      builder.timestamp(HeaderValues.instant(properties.getTimestamp()));
    }
    if (properties.getHeaders() != null) {
      properties
          .getHeaders()
          .forEach((name, value) -> builder.header(name, HeaderValues.of(value)));
    }
    return builder.build();
  }
}
