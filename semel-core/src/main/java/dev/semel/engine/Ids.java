package dev.semel.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.UUID;

/** The ids of promises. */
final class Ids {

  private Ids() {}

  /**
   * The id of what a handler sends for a message: the same whenever the handler runs again, another
   * one for any other message, consumer or database. A UUID of version 8 over the SHA-256 of the
   * parts, each with its length before it, so that no two lists of parts read alike.
   *
   * @param installation which database
   * @param consumer whose handler
   * @param key of the message, its generation included
   * @param kind of promise
   * @param name given by the handler, or made of the position
   */
  static UUID derived(UUID installation, String consumer, String key, String kind, String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : new String[] {installation.toString(), consumer, key, kind, name}) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(4).putInt(bytes.length).array());
        digest.update(bytes);
      }
      ByteBuffer hash = ByteBuffer.wrap(digest.digest());
      return marked(hash.getLong(), hash.getLong(), 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** An id with the time in front, so that those made together are stored together. */
  static UUID timed(long millis, Random random) {
    return marked(millis << 16 | random.nextInt(1 << 16), random.nextLong(), 7);
  }

  private static UUID marked(long high, long low, int version) {
    return new UUID(
        high & ~0xF000L | (long) version << 12, low & 0x3FFF_FFFF_FFFF_FFFFL | 1L << 63);
  }
}
