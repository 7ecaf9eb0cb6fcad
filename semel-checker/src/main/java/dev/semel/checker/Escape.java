package dev.semel.checker;

import org.jspecify.annotations.Nullable;

/** Makes any string fit into one field of a line, and back, without losing a character. */
final class Escape {
  private Escape() {}

  static String escape(String text) {
    StringBuilder escaped = null;
    for (int i = 0; i < text.length(); i++) {
      String replacement = replacement(text, i);
      if (replacement != null && escaped == null) {
        escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
      }
      if (escaped != null) {
        if (replacement == null) {
          escaped.append(text.charAt(i));
        } else {
          escaped.append(replacement);
        }
      }
    }
    return escaped == null ? text : escaped.toString();
  }

  static String unescape(String text) {
    int backslash = text.indexOf('\\');
    if (backslash < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    int from = 0;
    while (backslash >= 0) {
      plain.append(text, from, backslash);
      if (backslash + 1 == text.length()) {
        throw new IllegalArgumentException("a backslash at the end of a field");
      }
      from = backslash + 2;
      switch (text.charAt(backslash + 1)) {
        case '\\' -> plain.append('\\');
        case 't' -> plain.append('\t');
        case 'n' -> plain.append('\n');
        case '0' -> plain.append('\0');
        case 'u' -> {
          plain.append(surrogate(text, from));
          from += 4;
        }
        default -> throw new IllegalArgumentException("an unknown escape in a field");
      }
      backslash = text.indexOf('\\', from);
    }
    return plain.append(text, from, text.length()).toString();
  }

  private static @Nullable String replacement(String text, int index) {
    char c = text.charAt(index);
    return switch (c) {
      case '\\' -> "\\\\";
      case '\t' -> "\\t";
      case '\n' -> "\\n";
      case '\0' -> "\\0";
      default -> isLoneSurrogate(text, index) ? String.format("\\u%04x", (int) c) : null;
    };
  }

  /** UTF-8 cannot hold half a pair; the encoder would write '?' and make two keys one. */
  private static boolean isLoneSurrogate(String text, int index) {
    char c = text.charAt(index);
    if (Character.isHighSurrogate(c)) {
      return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
    }
    return Character.isLowSurrogate(c)
        && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
  }

  private static char surrogate(String text, int from) {
    if (from + 4 > text.length()) {
      throw new IllegalArgumentException("an escape that is cut short");
    }
    return (char) Integer.parseInt(text, from, from + 4, 16);
  }
}
