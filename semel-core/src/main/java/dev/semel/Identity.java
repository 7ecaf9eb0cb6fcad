package dev.semel;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What makes two deliveries the same message: exactly four choices.
 *
 * <p>Keys are compared byte by byte. A key of more than 200 bytes in UTF-8 is replaced by {@code
 * sha256:} and its digest in hexadecimal (as is a key that begins with {@code sha256:}, so that
 * nobody can write one that looks like another's digest). A missing key, one of white space only,
 * one with NUL or U+FFFD in it (the mark of bytes that were not UTF-8) is never made up: the
 * message is parked.
 */
public final class Identity {

  /** Longest key that is stored as it is, in bytes of UTF-8. */
  public static final int MAX_KEY_BYTES = 200;

  private static final String DIGEST_MARK = "sha256:";

  private final String description;
  private final KeyExtractor extractor;
  private final boolean lastResort;

  private Identity(String description, KeyExtractor extractor, boolean lastResort) {
    this.description = description;
    this.extractor = extractor;
    this.lastResort = lastResort;
  }

  /**
   * The producer's {@code message-id}; the default.
   *
   * @return the choice
   */
  public static Identity messageId() {
    return new Identity("message-id", Message::id, false);
  }

  /**
   * A header, in its canonical text (see {@link Message#headerText}).
   *
   * @param name the header
   * @return the choice
   */
  public static Identity header(String name) {
    Objects.requireNonNull(name, "name");
    return new Identity("header " + name, message -> message.headerText(name), false);
  }

  /**
   * A business key, such as order id and operation; the best choice where there is one, since it
   * also catches a producer that makes up a new id for each try.
   *
   * @param extractor takes the key out of headers and bytes; called by several threads
   * @return the choice
   */
  public static Identity key(KeyExtractor extractor) {
    Objects.requireNonNull(extractor, "extractor");
    return new Identity("key", extractor, false);
  }

  /**
   * A digest of type and body, for producers that give no id. Two messages that are meant twice but
   * have equal bytes are taken for one; one message that was serialised twice in different ways
   * (order of JSON fields, white space) is taken for two. Warned of at start.
   *
   * @return the choice
   */
  public static Identity bodyHashAsLastResort() {
    return new Identity(
        "body hash",
        message -> HexFormat.of().formatHex(sha256(message.type(), message.body())),
        true);
  }

  /**
   * The key of a message.
   *
   * @param message the message
   * @return the key as it is stored
   * @throws BadIdentityException if there is no usable key; the message says why
   */
  public String keyOf(Message message) {
    String raw;
    try {
      raw = extractor.extract(message);
    } catch (Exception e) {
      throw new BadIdentityException("key extractor failed: " + e, e);
    }
    if (raw == null) {
      throw new BadIdentityException("no id: " + description + " is missing", null);
    }
    if (raw.isBlank()) {
      throw new BadIdentityException("no id: " + description + " is blank", null);
    }
    if (raw.indexOf('\0') >= 0) {
      throw new BadIdentityException("unusable id: " + description + " has a NUL in it", null);
    }
    if (raw.indexOf('\uFFFD') >= 0 || hasLoneSurrogate(raw)) {
      throw new BadIdentityException("unusable id: " + description + " is not UTF-8", null);
    }
    byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_KEY_BYTES && !raw.startsWith(DIGEST_MARK)
        ? raw
        : DIGEST_MARK + HexFormat.of().formatHex(digest().digest(bytes));
  }

  /**
   * Whether this is {@link #bodyHashAsLastResort()}.
   *
   * @return true for that choice only
   */
  public boolean isLastResort() {
    return lastResort;
  }

  /** The choice in words. */
  @Override
  public String toString() {
    return description;
  }

  private static boolean hasLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  /** SHA-256 over type and body; the length in front keeps ("a","bc") apart from ("ab","c"). */
  static byte[] sha256(@Nullable String type, byte[] body) {
    MessageDigest digest = digest();
    if (type != null) {
      byte[] bytes = type.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
      digest.update(bytes);
    }
    digest.update((byte) 0);
    return digest.digest(body);
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
