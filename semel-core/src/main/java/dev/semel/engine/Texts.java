package dev.semel.engine;

import org.jspecify.annotations.Nullable;

/** Text as PostgreSQL can hold it. */
final class Texts {

  private static final int LONGEST = 4000;

  private Texts() {}

  /** Cut, and with NUL, which the type text refuses, written out. For people, not for replay. */
  static String storable(String text) {
    String cut = text.length() > LONGEST ? text.substring(0, LONGEST) + " …" : text;
    return cut.replace("\0", "\\u0000");
  }

  static int number(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
