package dev.semel.rabbitmq;

/** Texts that others wrote, for one line of a log. */
final class OneLine {

  private static final int LIMIT = 300;

  private OneLine() {}

  static String of(String text) {
    String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return line.length() <= LIMIT ? line : line.substring(0, LIMIT) + "...";
  }
}
