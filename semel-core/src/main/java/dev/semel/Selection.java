package dev.semel;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which rows an operator means: all conditions that are given must hold. Immutable. The same for
 * every table that operators look after.
 *
 * @param ids only these; empty for any
 * @param consumer only of this consumer, or in the outbox of this destination; null for any
 * @param state only in this state; null for any
 * @param reason only those whose reason (in the outbox: last error) contains this text; null for
 *     any
 * @param olderThan only those first seen longer ago; null for any
 * @param limit at most so many, the oldest first; from 1
 */
public record Selection(
    List<UUID> ids,
    @Nullable String consumer,
    @Nullable String state,
    @Nullable String reason,
    @Nullable Duration olderThan,
    int limit) {

  /** What is meant when no limit is given. */
  public static final int DEFAULT_LIMIT = 100;

  /**
   * Checks the values.
   *
   * @param ids see the record
   * @param consumer see the record
   * @param state see the record
   * @param reason see the record
   * @param olderThan see the record
   * @param limit see the record
   * @throws ConfigurationException if the limit is below 1 or the age negative
   */
  public Selection {
    ids = List.copyOf(ids);
    if (limit < 1) {
      throw new ConfigurationException("limit is " + limit + ", but must be at least 1");
    }
    if (olderThan != null && olderThan.isNegative()) {
      throw new ConfigurationException("olderThan must not be negative");
    }
  }

  /**
   * Everything, up to the default limit.
   *
   * @return a selection without conditions
   */
  public static Selection any() {
    return new Selection(List.of(), null, null, null, null, DEFAULT_LIMIT);
  }

  /**
   * Certain rows.
   *
   * @param ids their ids; at least one
   * @return a selection of these
   */
  public static Selection of(List<UUID> ids) {
    if (ids.isEmpty()) {
      throw new ConfigurationException("no id is given");
    }
    return new Selection(ids, null, null, null, null, ids.size());
  }

  /**
   * One consumer's.
   *
   * @param value its name
   * @return a narrower selection
   */
  public Selection consumer(String value) {
    return new Selection(
        ids, Objects.requireNonNull(value, "consumer"), state, reason, olderThan, limit);
  }

  /**
   * One destination's, in the outbox.
   *
   * @param value its name
   * @return a narrower selection
   */
  public Selection destination(String value) {
    return consumer(value);
  }

  /**
   * In one state.
   *
   * @param value such as {@code dead}
   * @return a narrower selection
   */
  public Selection state(String value) {
    return new Selection(
        ids, consumer, Objects.requireNonNull(value, "state"), reason, olderThan, limit);
  }

  /**
   * With a text in their reason.
   *
   * @param value the text, compared as it is
   * @return a narrower selection
   */
  public Selection reason(String value) {
    return new Selection(
        ids, consumer, state, Objects.requireNonNull(value, "reason"), olderThan, limit);
  }

  /**
   * First seen some time ago.
   *
   * @param value how long ago at least
   * @return a narrower selection
   */
  public Selection olderThan(Duration value) {
    return new Selection(
        ids, consumer, state, reason, Objects.requireNonNull(value, "olderThan"), limit);
  }

  /**
   * At most so many.
   *
   * @param value from 1; {@link Integer#MAX_VALUE} for all
   * @return a selection with this limit
   */
  public Selection limit(int value) {
    return new Selection(ids, consumer, state, reason, olderThan, value);
  }
}
