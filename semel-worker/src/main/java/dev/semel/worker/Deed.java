package dev.semel.worker;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of one row, whatever its table.
 *
 * @param id of the row
 * @param owner whose it is, such as the consumer; null if the row is gone
 * @param key by which people know it; null if it has none
 * @param result in one word, for programs
 * @param text in words, for people
 * @param done whether it is what was ordered
 */
record Deed(
    UUID id,
    @Nullable String owner,
    @Nullable String key,
    String result,
    String text,
    boolean done) {}
