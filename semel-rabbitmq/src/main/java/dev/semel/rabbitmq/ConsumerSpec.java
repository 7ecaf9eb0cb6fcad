package dev.semel.rabbitmq;

/**
 * What a consumer shall be like.
 *
 * @param queue the name
 * @param prefetch most deliveries that the broker may have unsettled with it
 * @param maxMessageBytes larger bodies are refused, though handed over
 * @param inOrder whether the broker gives the queue's messages to one consumer at a time, so that
 *     what goes back must be back before another one is chosen
 */
record ConsumerSpec(String queue, int prefetch, int maxMessageBytes, boolean inOrder) {}
