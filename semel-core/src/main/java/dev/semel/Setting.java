package dev.semel;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The description of one setting: the one place that knows its bounds, from which {@code
 * docs/settings.md} is made.
 *
 * @param <T> the type of its values
 * @param name its name, as in the builder
 * @param meaning what it is for, and how it relates to its neighbours
 * @param unit of numbers; empty if none
 * @param defaultText the default in words
 * @param min least value allowed
 * @param max greatest value allowed
 */
public record Setting<T extends Comparable<T>>(
    String name, String meaning, String unit, String defaultText, T min, T max) {

  /** {@link Semel.Builder#schema}. */
  public static final Setting<Integer> SCHEMA =
      new Setting<>(
          "schema",
          "Database schema that holds all of Semel's tables; a lower-case identifier.",
          "characters",
          "`semel`",
          1,
          48);

  /** {@link Semel.Builder#retention}. */
  public static final Setting<Duration> RETENTION =
      new Setting<>(
          "retention",
          "How long at least a key is known after it was applied. Must be longer than any"
              + " redelivery: queue TTLs, dead letters that are replayed, a weekend.",
          "",
          "7 d",
          Duration.ofSeconds(1),
          Duration.ofDays(3650));

  /** {@link Semel.Builder#grace}. */
  public static final Setting<Duration> GRACE =
      new Setting<>(
          "grace",
          "How long a stopping worker waits for handlers that run. Shorter than what the service"
              + " manager waits before SIGKILL.",
          "",
          "30 s",
          Duration.ZERO,
          Duration.ofHours(1));

  /** {@link Semel.Builder#lanes}. */
  public static final Setting<Integer> LANES =
      new Setting<>(
          "lanes",
          "Batches of one consumer that are applied at the same time in this process; each uses one"
              + " thread and one database connection.",
          "",
          "processors",
          1,
          64);

  /** {@link Semel.Builder#batch}. */
  public static final Setting<Integer> BATCH =
      new Setting<>(
          "batch",
          "Most messages in one transaction. A lane takes what is there without waiting for more,"
              + " and halves its batches after a failure. 1 gives each message a transaction of its"
              + " own.",
          "messages",
          "50",
          1,
          1000);

  /** {@link Semel.Builder#prefetch}. */
  public static final Setting<Integer> PREFETCH =
      new Setting<>(
          "prefetch",
          "Most unacknowledged messages of one consumer in this process. At least the number of"
              + " lanes.",
          "messages",
          "2 × batch × lanes, at most 500",
          1,
          2000);

  /** {@link Semel.Builder#lockTimeout}. */
  public static final Setting<Duration> LOCK_TIMEOUT =
      new Setting<>(
          "lockTimeout",
          "PostgreSQL's `lock_timeout` in a handler's transaction; a role's own default does not"
              + " apply.",
          "",
          "5 s",
          Duration.ofMillis(10),
          Duration.ofHours(1));

  /** {@link Semel.Builder#statementTimeout}. */
  public static final Setting<Duration> STATEMENT_TIMEOUT =
      new Setting<>(
          "statementTimeout",
          "PostgreSQL's `statement_timeout` in a handler's transaction. A server that is silent for"
              + " 10 s longer is taken for lost.",
          "",
          "60 s",
          Duration.ofMillis(100),
          Duration.ofHours(24));

  /** {@link Semel.Builder#idleTimeout}. */
  public static final Setting<Duration> IDLE_TIMEOUT =
      new Setting<>(
          "idleTimeout",
          "PostgreSQL's `idle_in_transaction_session_timeout` in a handler's transaction: the"
              + " longest a handler may work without a statement, and the longest a frozen worker"
              + " can hold its keys.",
          "",
          "1 h",
          Duration.ofSeconds(1),
          Duration.ofHours(24));

  /** {@link Consumer.Builder#pause}. */
  public static final Setting<Duration> PAUSE =
      new Setting<>(
          "pause",
          "How long a message is held after its first failure under `FailurePolicy.REQUEUE`;"
              + " doubled at each further failure, up to 60 s.",
          "",
          "1 s",
          Duration.ofMillis(10),
          Duration.ofSeconds(60));

  /**
   * All settings, in the order of the documentation.
   *
   * @return an unmodifiable list
   */
  public static List<Setting<?>> all() {
    return List.of(
        SCHEMA,
        RETENTION,
        GRACE,
        LANES,
        BATCH,
        PREFETCH,
        LOCK_TIMEOUT,
        STATEMENT_TIMEOUT,
        IDLE_TIMEOUT,
        PAUSE);
  }

  /**
   * Checks a value against the bounds.
   *
   * @param value the value
   * @return the value
   * @throws ConfigurationException naming the setting and its bounds, if it is outside
   */
  public T checked(T value) {
    Objects.requireNonNull(value, name);
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new ConfigurationException(
          name + " is " + text(value) + ", but must be from " + text(min) + " to " + text(max));
    }
    return value;
  }

  /**
   * A value as people write it, for example {@code 60 s} or {@code 7 d}.
   *
   * @param value a number or a duration
   * @return the text
   */
  public static String text(Object value) {
    if (!(value instanceof Duration d)) {
      return value.toString();
    }
    if (d.toMillis() % 1000 != 0) {
      return d.toMillis() + " ms";
    }
    long s = d.toSeconds();
    if (s != 0 && s % 86_400 == 0) {
      return s / 86_400 + " d";
    }
    return s != 0 && s % 3600 == 0 ? s / 3600 + " h" : s + " s";
  }
}
