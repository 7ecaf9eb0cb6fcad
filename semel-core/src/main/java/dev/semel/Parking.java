package dev.semel;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with parked messages. Safe for use by many threads; works without a running
 * worker. Each row is dealt with in a transaction of its own, in which it is audited too; all
 * methods throw {@link UnavailableException} if the database cannot be asked.
 */
public interface Parking {

  /**
   * Rows, the oldest first.
   *
   * @param selection which
   * @return rows without their bytes
   */
  List<ParkedMessage> list(Selection selection);

  /**
   * The message of one row, byte for byte.
   *
   * @param id of the row
   * @return the message, or empty if there is no such row
   */
  Optional<Message> message(UUID id);

  /**
   * Lets messages run again, as soon as a worker has time. A dead one begins anew, behind those of
   * its ordering key that wait; one that waits is due at once.
   *
   * @param selection which
   * @param how what is allowed beyond that
   * @param order who and why
   * @return what became of each
   */
  List<Done> replay(Selection selection, Replay how, Order order);

  /**
   * Gives messages up: their keys count as processed, so that no copy runs later, and their bytes
   * are removed. The audit keeps the SHA-256 of the body.
   *
   * @param selection which
   * @param order who and why
   * @return what became of each
   */
  List<Done> discard(Selection selection, Order order);

  /**
   * The books of each consumer, closed over what is durable: {@code parked = applied + duplicates +
   * discarded + waiting + dead}.
   *
   * @return a line for each consumer that ever parked a message
   */
  List<Books> books();

  /**
   * What a replay may do.
   *
   * @param again run a message whose key is processed, as a new generation of it
   * @param asNew run one that is too old to be proved new: it may have been applied before
   * @param id the id for a message that has none; null to give none
   */
  record Replay(boolean again, boolean asNew, @Nullable String id) {

    /** Nothing beyond the usual. */
    public static final Replay PLAIN = new Replay(false, false, null);
  }

  /** What became of a row. */
  enum Result {
    /** It runs as soon as a worker has time. */
    REPLAYED("runs as soon as a worker has time"),
    /** Its key is processed and its bytes are gone. */
    DISCARDED("discarded"),
    /** Its key is processed already; nothing was done. */
    ALREADY_APPLIED("already applied; to run it again is a new generation (--again)"),
    /** It has no id; nothing was done. */
    NEEDS_ID("has no id; give it one (--id)"),
    /** It is too old to be proved new; nothing was done. */
    NEEDS_AS_NEW("too old to be proved new; it may have been applied before (--as-new)"),
    /** A worker is at work on it or on its key; nothing was done. */
    IN_FLIGHT("a worker is at work on it; try again"),
    /** Another row has this key and these bytes; nothing was done. */
    EQUAL_ROW("another row has the same id and bytes"),
    /** There is no such row any more; nothing was done. */
    GONE("no such parked message");

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
     * @return true for {@link #REPLAYED} and {@link #DISCARDED}
     */
    public boolean done() {
      return this == REPLAYED || this == DISCARDED;
    }
  }

  /**
   * What became of one row; in a dry run, what would.
   *
   * @param id of the row
   * @param consumer whose it is; empty if the row is gone
   * @param messageKey its key, or null
   * @param result what became of it
   */
  record Done(UUID id, String consumer, @Nullable String messageKey, Result result) {}

  /**
   * The books of one consumer. An amount is a number of messages since the schema was made.
   *
   * @param consumer whose
   * @param parked rows that came in
   * @param applied rows that left by having been applied
   * @param duplicates rows that left because their key was found processed
   * @param discarded rows that operators gave up
   * @param waiting rows that wait to run again, now
   * @param dead rows that do not run by themselves, now
   * @param offBy 0 if the books close
   */
  record Books(
      String consumer,
      long parked,
      long applied,
      long duplicates,
      long discarded,
      long waiting,
      long dead,
      long offBy) {}
}
