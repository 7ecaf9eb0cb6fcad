package dev.semel.checker;

import java.nio.charset.StandardCharsets;

/**
 * The format of a line: version, sequence, microseconds, event, consumer, key and detail, with tabs
 * between.
 */
final class Line {
  private static final String VERSION = "1";
  private static final int FIELDS = 7;

  private Line() {}

  static byte[] encode(Recorded recorded) {
    return String.join(
            "\t",
            VERSION,
            Long.toString(recorded.sequence()),
            Long.toString(recorded.micros()),
            recorded.event().name(),
            Escape.escape(recorded.consumer()),
            Escape.escape(recorded.key()),
            Escape.escape(recorded.detail()) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a line without its newline; an {@link IllegalArgumentException} says what is wrong with
   * it.
   */
  static Recorded decode(String file, String line) {
    String[] fields = line.split("\t", -1);
    if (!fields[0].equals(VERSION)) {
      throw new IllegalArgumentException("not a line of format version " + VERSION);
    }
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(fields.length + " fields instead of " + FIELDS);
    }
    return new Recorded(
        file,
        Long.parseLong(fields[1]),
        Long.parseLong(fields[2]),
        Event.valueOf(fields[3]),
        Escape.unescape(fields[4]),
        Escape.unescape(fields[5]),
        Escape.unescape(fields[6]));
  }
}
