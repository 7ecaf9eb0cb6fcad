package dev.semel.rabbitmq;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first difference between a queue and a declaration of it, as RabbitMQ tells it: {@code
 * inequivalent arg 'NAME' for queue ... received none but current is the value '3' of type 'long'};
 * if both sides have the argument, {@code received '1' but current is '3'}. The whole text is cut
 * off after 252 bytes. What is read here need not be true, as the next declaration proves it.
 *
 * @param argument {@code durable}, {@code auto_delete}, or the name of an argument
 * @param current what the queue has; null if that cannot be told
 * @param cut whether the text ends before the value does
 */
record Inequivalence(String argument, @Nullable Object current, boolean cut) {

  private static final Pattern ARGUMENT = Pattern.compile("inequivalent arg '([^']+)' for queue ");
  private static final Pattern CURRENT =
      Pattern.compile(
          ": received .* but current is (?:the value '(?<typed>.*)' of type '(?<type>\\w+)'|'(?<bare>.*)'|none)",
          Pattern.DOTALL);
  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?\\d{1,18}");
  private static final String CUT = "...";

  /** Null if it is no such text. */
  static @Nullable Inequivalence of(String text) {
    Matcher argument = ARGUMENT.matcher(text);
    if (!argument.find()) {
      return null;
    }
    String name = argument.group(1);
    Matcher current = CURRENT.matcher(text);
    int from = text.indexOf(": received ", argument.end());
    if (from < 0 || !current.region(from, text.length()).matches()) {
      return new Inequivalence(name, null, text.endsWith(CUT));
    }
    String typed = current.group("typed");
    String bare = current.group("bare");
    if (typed != null) {
      return new Inequivalence(name, value(typed, current.group("type")), false);
    }
    return new Inequivalence(name, bare == null ? null : value(bare), false);
  }

  /** The broker compares whole numbers of all widths by value. */
  private static @Nullable Object value(String text, String type) {
    return switch (type) {
      case "longstr", "shortstr" -> text;
      case "bool" -> Boolean.valueOf(text);
      default -> WHOLE_NUMBER.matcher(text).matches() ? Long.valueOf(text) : null;
    };
  }

  private static Object value(String text) {
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    return WHOLE_NUMBER.matcher(text).matches() ? (Object) Long.valueOf(text) : text;
  }
}
