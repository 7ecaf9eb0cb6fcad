package dev.semel;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is stored beside a key to tell a copy from another message that wrongly has the same key.
 *
 * <p>The stored bytes begin with the version of the choice. Two fingerprints of different versions
 * cannot be compared and count as equal, so that a change of the choice never turns honest copies
 * into conflicts; so does an empty one, which imported keys have.
 */
public final class Fingerprint {

  private static final byte NONE = 0;
  private static final byte BODY = 1;
  private static final byte EXTRACTED = 2;
  private static final int LENGTH = 16;

  private final byte version;
  private final @Nullable KeyExtractor extractor;

  private Fingerprint(byte version, @Nullable KeyExtractor extractor) {
    this.version = version;
    this.extractor = extractor;
  }

  /**
   * SHA-256 of type and body, cut to 16 bytes; the default.
   *
   * @return the choice
   */
  public static Fingerprint body() {
    return new Fingerprint(BODY, null);
  }

  /**
   * No comparison: every message with an applied key is a duplicate. For producers that serialise
   * one message in different ways.
   *
   * @return the choice
   */
  public static Fingerprint none() {
    return new Fingerprint(NONE, null);
  }

  /**
   * SHA-256, cut to 16 bytes, of a text taken from the message, such as amount and currency.
   *
   * @param extractor takes the text; null counts as empty; called by several threads
   * @return the choice
   */
  public static Fingerprint of(KeyExtractor extractor) {
    return new Fingerprint(EXTRACTED, Objects.requireNonNull(extractor, "extractor"));
  }

  /**
   * The fingerprint of a message.
   *
   * @param message the message
   * @return the bytes to store, version first
   * @throws BadIdentityException if the extractor failed
   */
  public byte[] of(Message message) {
    if (version == NONE) {
      return new byte[] {NONE};
    }
    byte[] hash;
    if (extractor == null) {
      hash = Identity.sha256(message.type(), message.bytes());
    } else {
      try {
        String text = extractor.extract(message);
        hash =
            Identity.digest().digest((text == null ? "" : text).getBytes(StandardCharsets.UTF_8));
      } catch (Exception e) {
        throw new BadIdentityException("fingerprint extractor failed: " + e, e);
      }
    }
    byte[] stored = new byte[1 + LENGTH];
    stored[0] = version;
    System.arraycopy(hash, 0, stored, 1, LENGTH);
    return stored;
  }

  /**
   * Whether two stored fingerprints are of the same message, as far as that can be told.
   *
   * @param one a stored fingerprint
   * @param other a stored fingerprint
   * @return true if equal, or if they cannot be compared
   */
  public static boolean same(byte[] one, byte[] other) {
    return one.length <= 1 || other.length <= 1 || one[0] != other[0] || Arrays.equals(one, other);
  }
}
