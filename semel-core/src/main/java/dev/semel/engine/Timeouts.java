package dev.semel.engine;

import dev.semel.Settings;
import java.time.Duration;

/** The time-outs of the engine's transactions, as PostgreSQL reads them. */
record Timeouts(String lock, String statement, String idle) {

  static Timeouts of(Settings settings) {
    return new Timeouts(
        millis(settings.lockTimeout()),
        millis(settings.statementTimeout()),
        millis(settings.idleTimeout()));
  }

  private static String millis(Duration duration) {
    return duration.toMillis() + "ms";
  }
}
