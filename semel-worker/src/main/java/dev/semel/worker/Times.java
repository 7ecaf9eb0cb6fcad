package dev.semel.worker;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times for people: whole seconds of UTC, which is in no doubt between two machines. */
final class Times {

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private Times() {}

  static String of(Instant instant) {
    return SECONDS.format(instant);
  }
}
