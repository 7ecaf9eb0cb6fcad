package dev.semel;

/**
 * A handler failed on a message that was given to {@link Inbox#process}; everything was rolled
 * back, and no key was stored.
 */
public final class HandlerFailedException extends SemelException {

  private static final long serialVersionUID = 1L;

  /** The message's key. */
  private final String messageKey;

  /**
   * Made by Semel.
   *
   * @param messageKey the key of the message
   * @param message what failed
   * @param cause the handler's exception
   */
  public HandlerFailedException(String messageKey, String message, Throwable cause) {
    super(message, cause);
    this.messageKey = messageKey;
  }

  /**
   * The key of the message that failed.
   *
   * @return the key
   */
  public String messageKey() {
    return messageKey;
  }
}
