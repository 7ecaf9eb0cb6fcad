package dev.semel.checker;

/**
 * One promise that was broken for one key.
 *
 * @param promise the promise
 * @param consumer the consumer that was judged
 * @param key the identity of the message
 * @param detail what was seen
 */
public record Violation(Promise promise, String consumer, String key, String detail) {}
