package dev.semel.testkit;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Random names and passwords: lower-case hexadecimal, so that they need no quoting anywhere. */
final class Secrets {

  private static final SecureRandom RANDOM = new SecureRandom();

  private Secrets() {}

  static String hex(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
