package dev.semel.worker;

/** Text of strangers as a terminal may show it: nothing in it moves the cursor or hides itself. */
final class Visible {

  private Visible() {}

  /** With control characters, invisible ones and the backslash written out. */
  static String of(String text) {
    StringBuilder visible = new StringBuilder(text.length());
    text.codePoints().forEach(c -> append(visible, c));
    return visible.toString();
  }

  /** The same, in one short piece. */
  static String cut(String text, int most) {
    String visible = of(text);
    return visible.codePointCount(0, visible.length()) <= most
        ? visible
        : visible.substring(0, visible.offsetByCodePoints(0, most - 1)) + "…";
  }

  private static void append(StringBuilder to, int c) {
    switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR -> {
        for (char half : Character.toChars(c)) {
          to.append(String.format("\\u%04x", (int) half));
        }
      }
      default -> {
        if (c == '\\') {
          to.append('\\');
        }
        to.appendCodePoint(c);
      }
    }
  }
}
