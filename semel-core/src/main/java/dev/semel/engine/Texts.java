package dev.semel.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Text as PostgreSQL can hold it. */
final class Texts {

  private static final int LONGEST = 4000;
  private static final int LONGEST_KEY = 200;

  private Texts() {}

  /** Cut, and with NUL, which the type text refuses, written out. For people, not for replay. */
  static String storable(String text) {
    String cut = text.length() > LONGEST ? text.substring(0, LONGEST) + " …" : text;
    return cut.replace("\0", "\\u0000");
  }

  /** The text, or a digest of one that no index could hold. */
  static String shortKey(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= LONGEST_KEY) {
      return key;
    }
    try {
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** A number of milliseconds; null if it is none. */
  static @Nullable Long millis(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      long millis = Long.parseLong(text.strip());
      return millis < 0 ? null : millis;
    } catch (NumberFormatException e) {
      return null;
    }
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
