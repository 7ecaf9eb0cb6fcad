package dev.semel.worker;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A span of time as people write it: {@code 30s, 10m, 2h, 7d}. */
final class AgeConverter implements ITypeConverter<Duration> {

  /** No row is older, and a database cannot reckon with any span. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final Pattern AGE = Pattern.compile("(\\d{1,9})(s|m|h|d)");

  @Override
  public Duration convert(String value) {
    Matcher age = AGE.matcher(value);
    if (!age.matches()) {
      throw new TypeConversionException(
          "'"
              + Visible.cut(value, 40)
              + "' is no span of time; expected a number with s, m, h or d, such as 30s or 7d");
    }
    Duration span = span(Long.parseLong(age.group(1)), age.group(2));
    if (span.compareTo(LONGEST) > 0) {
      throw new TypeConversionException("'" + value + "' is more than 36500d");
    }
    return span;
  }

  private static Duration span(long number, String unit) {
    return switch (unit) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
