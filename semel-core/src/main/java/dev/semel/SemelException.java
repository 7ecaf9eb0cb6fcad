package dev.semel;

import org.jspecify.annotations.Nullable;

/** The base of all exceptions that Semel throws; unchecked. */
public abstract class SemelException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * For subclasses.
   *
   * @param message what went wrong and what to do
   */
  protected SemelException(String message) {
    super(message);
  }

  /**
   * For subclasses.
   *
   * @param message what went wrong and what to do
   * @param cause the first failure
   */
  protected SemelException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
