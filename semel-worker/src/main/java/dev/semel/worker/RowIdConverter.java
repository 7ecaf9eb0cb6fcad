package dev.semel.worker;

import java.util.UUID;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The id of a row, whole; Java itself would fill up what is missing. */
final class RowIdConverter implements ITypeConverter<UUID> {

  static final String DESCRIPTION = "A row, by the id that the verb list shows first.";

  private static final Pattern UUID_TEXT =
      Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

  @Override
  public UUID convert(String value) {
    if (!UUID_TEXT.matcher(value).matches()) {
      throw new TypeConversionException(
          "'"
              + Visible.cut(value, 40)
              + "' is not the id of a row, a UUID that the verb list shows first");
    }
    return UUID.fromString(value);
  }
}
