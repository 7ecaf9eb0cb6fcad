package dev.semel.checker;

/**
 * One event as it stands in a history file.
 *
 * @param file the name of the file, one per process
 * @param sequence the place in the file, from 1
 * @param micros microseconds since the epoch; never decreasing within a file
 * @param event what happened
 * @param consumer the consumer that it happened to; empty where a producer does not know its
 *     consumers
 * @param key the identity of the message, as the test knows it
 * @param detail anything that helps a reader; the judge does not look at it
 */
public record Recorded(
    String file,
    long sequence,
    long micros,
    Event event,
    String consumer,
    String key,
    String detail) {}
