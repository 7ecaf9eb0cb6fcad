package dev.semel;

import dev.semel.engine.Engine;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The effect of each message, exactly once: one instance for each database. Safe for use by many
 * threads. It holds no connection and no thread; a {@link Worker} does.
 */
public interface Semel {

  /**
   * Settings to be filled in.
   *
   * @param dataSource PostgreSQL 14 or newer, the primary; a pool with at least lanes + 3
   *     connections is advised, and with senders another one for each and 2 more
   * @return a builder with the defaults
   */
  static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /**
   * The inbox of a consumer with all defaults, for messages from the caller's own listener.
   *
   * @param consumer the scope of the keys, see {@link Consumer#named}
   * @return the inbox
   */
  default Inbox inbox(String consumer) {
    return inbox(Consumer.named(consumer).build());
  }

  /**
   * The inbox of a consumer.
   *
   * @param consumer name, identity and fingerprint are used
   * @return the inbox
   */
  Inbox inbox(Consumer consumer);

  /**
   * Checks the database and starts applying messages; and, if the settings have senders, letting
   * them out. Without consumers it is a relay only.
   *
   * @param consumers each with a source; at least one, unless there are senders
   * @return the running worker
   * @throws ConfigurationException if a start check fails; the message has one line for each, with
   *     the remedy
   * @throws UnavailableException if the database cannot be reached
   */
  Worker start(Consumer... consumers);

  /**
   * Messages that failed, killed a process, conflict or are too old.
   *
   * @return lists, replays and discards them
   */
  Parking parking();

  /**
   * Messages that are to leave.
   *
   * @return adds them to a transaction; lists, retries and discards them
   */
  Outbox outbox();

  /**
   * The tables.
   *
   * @return prints, applies and validates them
   */
  Schema schema();

  /** Fills in the settings of a {@link Semel}. Not safe for use by several threads. */
  final class Builder {

    private final DataSource dataSource;
    private String schema = "semel";
    private Duration retention = Duration.ofDays(7);
    private Duration grace = Duration.ofSeconds(30);
    private int lanes =
        Math.min(Setting.LANES.max(), Math.max(1, Runtime.getRuntime().availableProcessors()));
    private int batch = 50;
    private @Nullable Integer prefetch;
    private Duration lockTimeout = Duration.ofSeconds(5);
    private Duration statementTimeout = Duration.ofSeconds(60);
    private Duration idleTimeout = Duration.ofHours(1);
    private final Map<String, Sender> senders = new LinkedHashMap<>();
    private Duration relayLease = Duration.ofSeconds(10);
    private Duration relayPoll = Duration.ofSeconds(1);
    private Duration keepSent = Duration.ZERO;
    private boolean oneAtATime;
    private Listener listener = new Listener() {};

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * Sets {@link Setting#SCHEMA}.
     *
     * @param value a lower-case identifier
     * @return this
     */
    public Builder schema(String value) {
      this.schema = Objects.requireNonNull(value, "schema");
      return this;
    }

    /**
     * Sets {@link Setting#RETENTION}.
     *
     * @param value how long a key is known at least
     * @return this
     */
    public Builder retention(Duration value) {
      this.retention = Objects.requireNonNull(value, "retention");
      return this;
    }

    /**
     * Sets {@link Setting#GRACE}.
     *
     * @param value how long a stop waits for handlers
     * @return this
     */
    public Builder grace(Duration value) {
      this.grace = Objects.requireNonNull(value, "grace");
      return this;
    }

    /**
     * Sets {@link Setting#LANES} for all consumers that do not set their own.
     *
     * @param value lanes
     * @return this
     */
    public Builder lanes(int value) {
      this.lanes = value;
      return this;
    }

    /**
     * Sets {@link Setting#BATCH} for all consumers that do not set their own.
     *
     * @param value messages
     * @return this
     */
    public Builder batch(int value) {
      this.batch = value;
      return this;
    }

    /**
     * Sets {@link Setting#PREFETCH} for all consumers that do not set their own.
     *
     * @param value messages
     * @return this
     */
    public Builder prefetch(int value) {
      this.prefetch = value;
      return this;
    }

    /**
     * Sets {@link Setting#LOCK_TIMEOUT}.
     *
     * @param value the timeout
     * @return this
     */
    public Builder lockTimeout(Duration value) {
      this.lockTimeout = Objects.requireNonNull(value, "lockTimeout");
      return this;
    }

    /**
     * Sets {@link Setting#STATEMENT_TIMEOUT}.
     *
     * @param value the timeout
     * @return this
     */
    public Builder statementTimeout(Duration value) {
      this.statementTimeout = Objects.requireNonNull(value, "statementTimeout");
      return this;
    }

    /**
     * Sets {@link Setting#IDLE_TIMEOUT}.
     *
     * @param value the timeout
     * @return this
     */
    public Builder idleTimeout(Duration value) {
      this.idleTimeout = Objects.requireNonNull(value, "idleTimeout");
      return this;
    }

    /**
     * Lets the messages of a destination out in the processes that this instance starts.
     *
     * @param destination its name, see {@link Outgoing.Builder#destination}
     * @param sender made by an adapter
     * @return this
     */
    public Builder sender(String destination, Sender sender) {
      senders.put(
          Objects.requireNonNull(destination, "destination"),
          Objects.requireNonNull(sender, "sender"));
      return this;
    }

    /**
     * Lets the messages of the default destination out, see {@link #sender(String, Sender)}.
     *
     * @param sender made by an adapter
     * @return this
     */
    public Builder sender(Sender sender) {
      return sender(Outgoing.DEFAULT_DESTINATION, sender);
    }

    /**
     * Sets {@link Setting#RELAY_LEASE}.
     *
     * @param value the lease
     * @return this
     */
    public Builder relayLease(Duration value) {
      this.relayLease = Objects.requireNonNull(value, "relayLease");
      return this;
    }

    /**
     * Sets {@link Setting#RELAY_POLL}.
     *
     * @param value the interval
     * @return this
     */
    public Builder relayPoll(Duration value) {
      this.relayPoll = Objects.requireNonNull(value, "relayPoll");
      return this;
    }

    /**
     * Sets {@link Setting#KEEP_SENT}.
     *
     * @param value how long
     * @return this
     */
    public Builder keepSent(Duration value) {
      this.keepSent = Objects.requireNonNull(value, "keepSent");
      return this;
    }

    /**
     * For debugging: one lane, batch 1, prefetch 1 for every consumer, and one INFO line for each
     * step of the protocol.
     *
     * @return this
     */
    public Builder oneAtATime() {
      this.oneAtATime = true;
      return this;
    }

    /**
     * Sets who hears what happened.
     *
     * @param value see {@link Listener} for threads and order
     * @return this
     */
    public Builder listener(Listener value) {
      this.listener = Objects.requireNonNull(value, "listener");
      return this;
    }

    /**
     * The settings as an immutable value, checked.
     *
     * @return the settings
     * @throws ConfigurationException naming the first setting that cannot work
     */
    public Settings settings() {
      return new Settings(
          dataSource,
          schema,
          retention,
          grace,
          lanes,
          batch,
          prefetch,
          lockTimeout,
          statementTimeout,
          idleTimeout,
          senders,
          relayLease,
          relayPoll,
          keepSent,
          oneAtATime,
          listener);
    }

    /**
     * The instance. Nothing is connected yet.
     *
     * @return an instance; the builder may go on being used
     * @throws ConfigurationException naming the first setting that cannot work
     */
    public Semel build() {
      return Engine.of(settings());
    }
  }
}
