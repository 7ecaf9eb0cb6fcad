package dev.semel.worker;

import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a verb sees of the world around it. */
record Context(Map<String, String> environment, PrintWriter out, PrintWriter err, Mask mask) {

  /** A variable of the environment; null also when it is empty. */
  @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value;
  }

  boolean debug() {
    return variable("SEMEL_DEBUG") != null;
  }
}
