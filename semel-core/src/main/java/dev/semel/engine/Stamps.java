package dev.semel.engine;

import dev.semel.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The producer's time of a message: its timestamp, or else the time inside a UUIDv7 or ULID key.
 * The age fence of the claim judges by it.
 */
final class Stamps {

  /** How far clocks of producers and of the database may be apart. */
  static final Duration TOLERANCE = Duration.ofMinutes(5);

  private static final Instant ABSURD_BEFORE = Instant.parse("2000-01-01T00:00:00Z");
  private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}");
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final int ULID_TIME_DIGITS = 10;

  private Stamps() {}

  static @Nullable Instant of(Message message, @Nullable String key) {
    Instant stamp = message.timestamp();
    if (stamp == null && key != null) {
      stamp = inKey(key);
    }
    return stamp == null
            || stamp.isBefore(ABSURD_BEFORE)
            || stamp.isAfter(Instant.now().plus(TOLERANCE))
        ? null
        : stamp;
  }

  private static @Nullable Instant inKey(String key) {
    if (key.length() == 36 && key.charAt(14) == '7') {
      try {
        UUID uuid = UUID.fromString(key);
        return uuid.version() == 7 && uuid.variant() == 2
            ? Instant.ofEpochMilli(uuid.getMostSignificantBits() >>> 16)
            : null;
      } catch (IllegalArgumentException e) {
        return null;
      }
    }
    if (key.length() != 26 || !ULID.matcher(key).matches()) {
      return null;
    }
    long millis = 0;
    for (int i = 0; i < ULID_TIME_DIGITS; i++) {
      millis = millis << 5 | CROCKFORD.indexOf(key.charAt(i));
    }
    return Instant.ofEpochMilli(millis);
  }
}
