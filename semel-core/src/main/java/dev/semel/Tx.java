package dev.semel;

import java.sql.Connection;

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
}
