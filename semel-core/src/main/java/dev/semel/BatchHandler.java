package dev.semel;

import java.util.List;

/**
 * Applies a whole batch of messages in one call, for handlers that can use JDBC batches or
 * multi-row statements.
 *
 * <p>The contract is that of {@link Handler}. When it throws, nobody knows which message was to
 * blame, so each message of the batch is then given to it alone.
 */
@FunctionalInterface
public interface BatchHandler {

  /**
   * Applies the messages.
   *
   * @param messages at least one message; no two have the same key, none has been applied before
   * @param tx the transaction of the claims; valid until this method returns
   * @throws Exception any failure; nothing of the batch is kept
   */
  void handle(List<Message> messages, Tx tx) throws Exception;
}
