package dev.semel.worker.demo;

/**
 * An event as it came out of its queue.
 *
 * @param id the message-id
 * @param type the type
 * @param body the body as text
 */
record Arrival(String id, String type, String body) {}
