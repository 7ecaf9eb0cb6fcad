package dev.semel.worker;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a verb sees of the world around it.
 *
 * @param bytes standard output for what is no text; flush {@code out} before
 * @param person who sits at the terminal; null if there is none
 */
record Context(
    Map<String, String> environment,
    PrintWriter out,
    OutputStream bytes,
    PrintWriter err,
    Mask mask,
    @Nullable Person person) {

  /** Somebody who can be asked. */
  @FunctionalInterface
  interface Person {

    /** The answer; null if there is none, as at the end of input. */
    @Nullable String answer(String question);
  }

  /** A variable of the environment; null also when it is empty. */
  @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value;
  }

  boolean debug() {
    return variable("SEMEL_DEBUG") != null;
  }
}
