package dev.semel.worker.demo;

import java.util.List;

/**
 * What the audit of one worker found.
 *
 * @param deliveries deliveries that a worker took up; what it had only prefetched is not counted
 * @param effects rows in the table of effects
 * @param doubled payments with more than one effect that the producer sent once
 * @param copiesDoubled payments with more than one effect that the producer sent twice
 * @param lost published payments without an effect
 * @param duplicates deliveries of payments sent once that were recognised as applied before
 * @param broken any other broken promise, one line each; only asked of Semel
 * @param outbox what the audit of its events found
 */
record Score(
    int deliveries,
    long effects,
    int doubled,
    int copiesDoubled,
    int lost,
    int duplicates,
    List<String> broken,
    OutboxScore outbox) {}
