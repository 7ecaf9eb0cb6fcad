package dev.semel.worker;

import org.jspecify.annotations.Nullable;

/**
 * Something that the user can put right; the message names the thing and the remedy in one line.
 */
final class UserError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UserError(String message) {
    this(message, null);
  }

  UserError(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
