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

  /** {@link Semel.Builder#relayLease}. */
  public static final Setting<Duration> RELAY_LEASE =
      new Setting<>(
          "relayLease",
          "How long a relay has its shards of the outbox without renewing that. If a machine dies,"
              + " its messages wait for so long; a relay that was frozen for half of it sends"
              + " nothing more.",
          "",
          "10 s",
          Duration.ofSeconds(1),
          Duration.ofMinutes(10));

  /** {@link Semel.Builder#relayPoll}. */
  public static final Setting<Duration> RELAY_POLL =
      new Setting<>(
          "relayPoll",
          "How often a relay looks through the outbox. Messages do not wait for it where the worker"
              + " or `NOTIFY` says that there are some.",
          "",
          "1 s",
          Duration.ofMillis(10),
          Duration.ofMinutes(1));

  /** {@link Semel.Builder#keepSent}. */
  public static final Setting<Duration> KEEP_SENT =
      new Setting<>(
          "keepSent",
          "How long it is known that a message has left: its id, type, key and time, without body.",
          "",
          "0 s (not kept)",
          Duration.ZERO,
          Duration.ofDays(3650));

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

  /** {@link Consumer.Builder#parkedLimit}. */
  public static final Setting<Integer> PARKED_LIMIT =
      new Setting<>(
          "parkedLimit",
          "Parked messages of a consumer that wait to run again, above which it takes nothing new"
              + " from its source; it goes on when half of them are done.",
          "messages",
          "10000",
          1,
          10_000_000);

  /** {@link Consumer.Builder#acknowledgementTimeout}. */
  public static final Setting<Duration> ACKNOWLEDGEMENT_TIMEOUT =
      new Setting<>(
          "acknowledgementTimeout",
          "The broker's own limit for an unacknowledged message (RabbitMQ's `consumer_timeout`)."
              + " What waits here for half of it without having begun is given back in time.",
          "",
          "30 min",
          Duration.ofSeconds(1),
          Duration.ofDays(30));

  /** {@link Consumer.Builder#handlerTime}. */
  public static final Setting<Duration> HANDLER_TIME =
      new Setting<>(
          "handlerTime",
          "How long the handler is expected to take at most; only warned by, at start: prefetch ×"
              + " handlerTime ÷ lanes should stay below half of acknowledgementTimeout. While it"
              + " runs, what is measured is warned by.",
          "",
          "not set",
          Duration.ofMillis(1),
          Duration.ofDays(1));

  /** {@link RetryPolicy.Builder#attempts}. */
  public static final Setting<Integer> RETRY_ATTEMPTS =
      new Setting<>(
          "attempts",
          "Failures after which a parked message is dead, the first one before parking included.",
          "",
          "10",
          1,
          1000);

  /** {@link RetryPolicy.Builder#deaths}. */
  public static final Setting<Integer> RETRY_DEATHS =
      new Setting<>(
          "deaths",
          "Processes that a message may kill while it runs alone, before it is dead. Up to two more"
              + " die before it is found out.",
          "",
          "3",
          1,
          100);

  /** {@link RetryPolicy.Builder#firstPause}. */
  public static final Setting<Duration> RETRY_FIRST_PAUSE =
      new Setting<>(
          "firstPause",
          "Pause between the first failure and the second run.",
          "",
          "1 s",
          Duration.ofMillis(10),
          Duration.ofDays(1));

  /** {@link RetryPolicy.Builder#factor}. */
  public static final Setting<Double> RETRY_FACTOR =
      new Setting<>("factor", "By which each pause is longer than the last.", "", "2", 1.0, 100.0);

  /** {@link RetryPolicy.Builder#cap}. */
  public static final Setting<Duration> RETRY_CAP =
      new Setting<>(
          "cap",
          "Longest pause, before the jitter; at least firstPause.",
          "",
          "10 min",
          Duration.ofMillis(10),
          Duration.ofDays(7));

  /** {@link RetryPolicy.Builder#jitter}. */
  public static final Setting<Double> RETRY_JITTER =
      new Setting<>(
          "jitter", "Share of a pause by which it is spread, both ways.", "", "0.2", 0.0, 0.9);

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
        RELAY_LEASE,
        RELAY_POLL,
        KEEP_SENT,
        PAUSE,
        PARKED_LIMIT,
        ACKNOWLEDGEMENT_TIMEOUT,
        HANDLER_TIME,
        RETRY_ATTEMPTS,
        RETRY_DEATHS,
        RETRY_FIRST_PAUSE,
        RETRY_FACTOR,
        RETRY_CAP,
        RETRY_JITTER);
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
    if (s != 0 && s % 3600 == 0) {
      return s / 3600 + " h";
    }
    return s >= 600 && s % 60 == 0 ? s / 60 + " min" : s + " s";
  }
}
