package dev.semel.spi;

import dev.semel.Outgoing;
import java.time.Instant;
import java.util.UUID;

/** A stored message that is to leave now. Safe for use by many threads. */
public interface Promise {

  /**
   * The message, with the same bytes in every attempt.
   *
   * @return the same object at each call
   */
  Outgoing message();

  /**
   * Which promise it is, the same in every attempt.
   *
   * @return an id that no other promise has
   */
  UUID id();

  /**
   * The id that goes out with it, the same in every attempt: its own, or that of the message of
   * which it is a dead letter.
   *
   * @return at most 255 bytes
   */
  String messageId();

  /**
   * Which attempt this is, as far as is stored: copies of an attempt whose answer was lost have the
   * same number.
   *
   * @return from 1
   */
  int attempt();

  /**
   * When it was stored, by the database's clock.
   *
   * @return the time that goes out with it
   */
  Instant createdAt();

  /**
   * Whether it may still be sent: another process may have taken it over. To be asked immediately
   * before the bytes are written.
   *
   * @return false once it may not, and then for ever; to be answered with {@link Answer.Unsent}
   */
  boolean maySend();

  /** The bytes are written, or as good as; whether they arrive is not known yet. */
  void sent();

  /**
   * What became of it. The first answer counts.
   *
   * @param answer the answer
   */
  void answer(Answer answer);
}
