package dev.semel.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a contender's JVM tells of its run, in one line of its output.
 *
 * @param nanos from the first delivery to the last acknowledgement
 * @param redelivered how many of the settled deliveries Semel has told to be redelivered
 */
record Measured(long nanos, long redelivered) {

  /** Finds the line. */
  static final String LINE = "^RESULT nanos=(\\d+) redelivered=(\\d+)$";

  private static final Pattern PATTERN = Pattern.compile(LINE);

  String line() {
    return "RESULT nanos=" + nanos + " redelivered=" + redelivered;
  }

  static Measured parse(String line) {
    Matcher found = PATTERN.matcher(line);
    if (!found.matches()) {
      throw new IllegalArgumentException("not the result of a contender: " + line);
    }
    return new Measured(Long.parseLong(found.group(1)), Long.parseLong(found.group(2)));
  }
}
