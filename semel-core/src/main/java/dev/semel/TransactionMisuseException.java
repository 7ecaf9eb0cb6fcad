package dev.semel;

/**
 * A handler, or a caller that lends its own transaction, did something that would separate the key
 * from the effect: it committed, used the connection after its time, claimed on an autocommit
 * connection, or claimed above READ COMMITTED.
 */
public final class TransactionMisuseException extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * Made by Semel.
   *
   * @param message what was done and what to do instead
   */
  public TransactionMisuseException(String message) {
    super(message);
  }

  /**
   * Made by Semel.
   *
   * @param message what was done and what to do instead
   * @param cause the error by which it was noticed
   */
  public TransactionMisuseException(String message, Throwable cause) {
    super(message, cause);
  }
}
