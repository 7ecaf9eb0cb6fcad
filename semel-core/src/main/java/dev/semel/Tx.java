package dev.semel;

import java.sql.Connection;
import java.util.UUID;

/** The transaction in which a message is applied: its key and its effect commit together. */
public interface Tx {

  /**
   * The connection of the transaction, at READ COMMITTED.
   *
   * <p>{@code commit}, {@code rollback()}, {@code close}, {@code setAutoCommit(true)} and {@code
   * abort} are refused with a {@link TransactionMisuseException}: Semel ends the transaction.
   * Savepoints are allowed. After the handler has returned, the connection refuses every call.
   *
   * @return the connection, the same object at each call
   */
  Connection connection();

  /**
   * Promises that a message leaves once this transaction has committed: it is stored beside the key
   * and the effect. Its id is derived from the message that is being handled, so that it is the
   * same if the handler runs again after a roll-back.
   *
   * <p>Several messages of one handler are told apart by their {@linkplain Outgoing#name() names},
   * or by their position if they have none. A trace context ({@code traceparent}, {@code
   * tracestate}) of the message that is handled goes on with it, unless it has its own.
   *
   * <p>Stored when the handler has returned; may be called by several threads until then.
   *
   * @param message the message
   * @return the id under which it leaves
   * @throws BadOutgoingException if a name is used twice or the headers are too large
   * @throws TransactionMisuseException after the handler has returned, or in a {@link
   *     BatchHandler}, which must say of which message it speaks
   */
  UUID send(Outgoing message);

  /**
   * The same in a {@link BatchHandler}.
   *
   * @param cause the message of the batch because of which it is sent
   * @param message the message
   * @return the id under which it leaves
   * @throws BadOutgoingException if a name is used twice for this cause, or the headers are too
   *     large
   * @throws TransactionMisuseException after the handler has returned, or if the cause is no
   *     message that it was given
   */
  UUID send(Message cause, Outgoing message);
}
