package dev.semel;

import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The outbox for those who have no {@link Tx}: for anybody's transaction, and for operators. Safe
 * for use by many threads; works without a running worker.
 */
public interface Outbox {

  /**
   * Stores messages in the caller's transaction. They leave after its commit, or never if it rolls
   * back.
   *
   * <p>Messages with an ordering key leave in the order of the commits, so until then a second
   * transaction that adds one of the same key waits. To add all in one call rules out that two
   * transactions wait for each other.
   *
   * @param connection not in autocommit mode; neither committed nor closed here
   * @param messages at least one
   * @return the id of each, in their order: a UUIDv7
   * @throws TransactionMisuseException on an autocommit connection
   * @throws UnavailableException if the database refuses; the transaction is then to be rolled back
   */
  List<UUID> add(Connection connection, Collection<Outgoing> messages);

  /**
   * Stores one message, see {@link #add(Connection, Collection)}.
   *
   * @param connection not in autocommit mode
   * @param message the message
   * @return its id
   */
  default UUID add(Connection connection, Outgoing message) {
    return add(connection, List.of(message)).get(0);
  }

  /**
   * Says that a transaction with messages has committed, so that they need not wait for the next
   * look of a relay. Costs nothing if it is left out but up to a second of time.
   */
  void committed();

  /**
   * Rows that have not left yet, the oldest first.
   *
   * @param selection which; its ids are ids of messages
   * @return rows without their bytes
   */
  List<Row> list(Selection selection);

  /**
   * One message that has not left yet, byte for byte.
   *
   * @param id of the message
   * @return the message, or empty if there is none
   */
  Optional<Outgoing> message(UUID id);

  /**
   * When a message left, as long as that is kept, see {@link Setting#KEEP_SENT}.
   *
   * @param id of the message
   * @return the facts, or empty
   */
  Optional<Sent> sent(UUID id);

  /**
   * Lets rows leave again at once: parked ones, and those that wait for their next attempt.
   *
   * @param selection which
   * @param order who and why
   * @return what became of each
   */
  List<Done> retry(Selection selection, Order order);

  /**
   * Gives rows up: they are removed without having left, and those of their ordering key that wait
   * behind them go on. The audit keeps the SHA-256 of the body.
   *
   * @param selection which
   * @param order who and why
   * @return what became of each
   */
  List<Done> discard(Selection selection, Order order);

  /**
   * Stops or resumes a destination for all relays, within two seconds or so.
   *
   * @param destination its name
   * @param paused whether it is to stop
   * @param order who and why
   * @return false if it was so already
   */
  boolean pause(String destination, boolean paused, Order order);

  /**
   * The books, in one snapshot of the database.
   *
   * @return the books of each destination that ever had a message, by name
   */
  List<Books> books();

  /**
   * A message that has not left.
   *
   * @param id of the message
   * @param destination its sender
   * @param address where it goes there
   * @param routingKey the second half of that
   * @param type of the message, or null
   * @param orderingKey its order, or null
   * @param state {@code pending}, or {@code parked} if it does not leave by itself
   * @param attempts how often it was refused
   * @param lastError why, or null
   * @param createdAt when it was stored
   * @param dueAt when it may leave; null for at once
   * @param size of the body, in bytes
   * @param paused whether its destination is stopped
   */
  record Row(
      UUID id,
      String destination,
      String address,
      String routingKey,
      @Nullable String type,
      @Nullable String orderingKey,
      String state,
      int attempts,
      @Nullable String lastError,
      Instant createdAt,
      @Nullable Instant dueAt,
      int size,
      boolean paused) {}

  /**
   * A message that has left.
   *
   * @param id of the message
   * @param destination its sender
   * @param type of the message, or null
   * @param orderingKey its order, or null
   * @param sentAt when it was seen to be confirmed
   * @param attempts which attempt that was, from 1
   */
  record Sent(
      UUID id,
      String destination,
      @Nullable String type,
      @Nullable String orderingKey,
      Instant sentAt,
      int attempts) {}

  /** What became of a row. */
  enum Result {
    /** It leaves as soon as a relay has time. */
    RETRIED("leaves as soon as a relay has time"),
    /** It is removed. */
    DISCARDED("discarded"),
    /** It has left or was discarded; nothing was done. */
    GONE("no such message in the outbox");

    private final String text;

    Result(String text) {
      this.text = text;
    }

    /**
     * The result in words.
     *
     * @return one line
     */
    public String text() {
      return text;
    }

    /**
     * Whether what was ordered has been done.
     *
     * @return false for {@link #GONE}
     */
    public boolean done() {
      return this != GONE;
    }
  }

  /**
   * What became of one row; in a dry run, what would.
   *
   * @param id of the message
   * @param destination its sender; empty if it is gone
   * @param result what became of it
   */
  record Done(UUID id, String destination, Result result) {}

  /**
   * The books of one destination. An amount is a number of messages since the schema was made.
   *
   * @param destination whose
   * @param written messages that came in, by whomever
   * @param confirmed messages that left
   * @param discarded messages that operators gave up
   * @param pending messages that wait to leave, now
   * @param parked messages that do not leave by themselves, now
   * @param offBy 0 if the books close: written = confirmed + discarded + pending + parked
   */
  record Books(
      String destination,
      long written,
      long confirmed,
      long discarded,
      long pending,
      long parked,
      long offBy) {}
}
