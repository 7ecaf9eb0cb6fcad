/**
 * RabbitMQ (AMQP 0-9-1) as a source of messages: {@link dev.semel.rabbitmq.RabbitMq} is the door.
 */
@NullMarked
package dev.semel.rabbitmq;

import org.jspecify.annotations.NullMarked;
