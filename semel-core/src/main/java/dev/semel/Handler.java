package dev.semel;

/**
 * Applies one message to the database.
 *
 * <p>It runs in the transaction that also stores the message's key, so its effect and the key
 * commit together or not at all. After a roll-back it runs again: everything it does must go
 * through {@link Tx#connection()}; what it does elsewhere (another connection, a socket, a file)
 * can happen twice.
 *
 * <p>One instance is called by several lanes at once and must be safe for that.
 */
@FunctionalInterface
public interface Handler {

  /**
   * Applies the message.
   *
   * @param message the message, never one whose key has already been applied
   * @param tx the transaction of the claim; valid until this method returns
   * @throws Exception any failure: the transaction is rolled back and the consumer's {@link
   *     FailurePolicy} decides what happens to the message
   */
  void handle(Message message, Tx tx) throws Exception;
}
