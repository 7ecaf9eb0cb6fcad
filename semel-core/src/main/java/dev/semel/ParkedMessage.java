package dev.semel;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code parked_messages}, without its bytes.
 *
 * @param id of the row
 * @param consumer whose it is
 * @param messageKey the key; null if the message has no usable one
 * @param orderingKey its ordering key; null if it has none
 * @param state {@code waiting} to run again, or {@code dead}
 * @param reason why it is here, one line
 * @param attempts failures so far
 * @param deaths processes that it killed while it ran alone
 * @param copies further copies of it that were absorbed
 * @param generation how often it was ordered to run again though its key was processed
 * @param nextAttemptAt when it runs next; of no meaning for a dead one
 * @param errorClass class of the last failure, or null
 * @param errorMessage its message, or null
 * @param errorSqlState its SQLSTATE, or null
 * @param firstSeen when it was parked
 * @param lastSeen when it last ran or a copy came
 * @param running whether a worker has leased it now
 * @param size bytes of the body
 */
public record ParkedMessage(
    UUID id,
    String consumer,
    @Nullable String messageKey,
    @Nullable String orderingKey,
    String state,
    String reason,
    int attempts,
    int deaths,
    int copies,
    int generation,
    Instant nextAttemptAt,
    @Nullable String errorClass,
    @Nullable String errorMessage,
    @Nullable String errorSqlState,
    Instant firstSeen,
    Instant lastSeen,
    boolean running,
    int size) {}
