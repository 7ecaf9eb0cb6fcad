package dev.semel.worker.demo;

import org.jspecify.annotations.Nullable;

/** The demo could not be played to its end; the message names the thing and the remedy. */
public final class DemoException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    this(message, null);
  }

  DemoException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
