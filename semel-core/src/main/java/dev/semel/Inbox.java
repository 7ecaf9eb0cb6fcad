package dev.semel;

import java.sql.Connection;

/**
 * The inbox of one consumer: two ways in for those who have a listener or a transaction of their
 * own. Safe for use by many threads.
 */
public interface Inbox {

  /**
   * Applies a message once, in a transaction of its own on a connection of Semel's data source.
   *
   * <p>When it returns an outcome that is {@link Outcome#settled()}, the outcome is committed and
   * the message may be acknowledged. A commit whose answer was lost is settled here by asking
   * again.
   *
   * @param message the message
   * @param handler applies it
   * @return what became of the message
   * @throws HandlerFailedException if the handler failed; nothing is stored
   * @throws TransactionMisuseException if the handler ended the transaction; nothing is stored
   * @throws UnavailableException if the database cannot be asked
   */
  Outcome process(Message message, Handler handler);

  /**
   * Claims a message in a transaction of the caller, as its first statement. If {@link
   * Claim#isNew()}, the caller makes the effect on the same connection, calls {@link
   * Claim#verify()} and commits. A message that is not new leaves nothing behind in the
   * transaction.
   *
   * @param connection autocommit off, READ COMMITTED, outside of a savepoint
   * @param message the message
   * @return the claim
   * @throws TransactionMisuseException if the connection is in autocommit mode, at a higher
   *     isolation level, or inside a savepoint
   * @throws UnavailableException if the statement failed; roll back
   */
  Claim claim(Connection connection, Message message);
}
