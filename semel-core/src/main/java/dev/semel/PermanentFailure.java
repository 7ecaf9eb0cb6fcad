package dev.semel;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows that its message can never succeed: it cannot be decoded, or asks
 * for what does not exist. The message becomes a dead letter at once, with this reason, and is not
 * tried again by itself.
 */
public final class PermanentFailure extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * A failure without a cause.
   *
   * @param reason why, one line; an operator reads it beside the message
   */
  public PermanentFailure(String reason) {
    super(reason);
  }

  /**
   * A failure with its cause.
   *
   * @param reason why, one line; an operator reads it beside the message
   * @param cause what was caught
   */
  public PermanentFailure(String reason, @Nullable Throwable cause) {
    super(reason, cause);
  }
}
