package dev.semel.bench;

import org.jspecify.annotations.Nullable;

/** The bench cannot run; the message is one line that says why. */
public final class BenchException extends Exception {

  private static final long serialVersionUID = 1L;

  BenchException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
