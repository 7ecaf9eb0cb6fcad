package dev.semel;

import org.jspecify.annotations.Nullable;

/** A message has no usable key; see {@link Identity}. */
public final class BadIdentityException extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * Made by {@link Identity}.
   *
   * @param message why, one line
   * @param cause the extractor's exception, if any
   */
  BadIdentityException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
