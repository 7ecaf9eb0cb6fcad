package dev.semel.worker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes passwords out of everything that is printed, also out of what a driver says. */
final class Mask {

  private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^&\\s\"']*");

  /** Leaves {@code ://USER:PASSWORD@HOST} alone, which is how we say what is expected. */
  private static final Pattern USER_INFO = Pattern.compile("(://[^/:@\\s]*:)(?!PASSWORD@)\\S*@");

  /** A shorter password would be found in innocent words; where it counts the patterns find it. */
  private static final int FOUND_ANYWHERE = 8;

  private final Set<String> secrets = ConcurrentHashMap.newKeySet();

  void hide(@Nullable String secret) {
    if (secret != null && secret.length() >= FOUND_ANYWHERE) {
      secrets.add(secret);
    }
  }

  String apply(String text) {
    String masked = text;
    for (String secret : secrets) {
      masked = masked.replace(secret, "***");
    }
    masked = PARAMETER.matcher(masked).replaceAll("$1***");
    return USER_INFO.matcher(masked).replaceAll("$1***@");
  }
}
