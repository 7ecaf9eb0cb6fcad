package dev.semel;

/** Takes a key (identity, ordering key, or what a fingerprint is made of) out of a message. */
@FunctionalInterface
public interface KeyExtractor {

  /**
   * The key of the message. It must depend on the message alone: the same message gives the same
   * key in every process and at every delivery.
   *
   * @param message headers and bytes as received
   * @return the key; null, blank, or text with NUL or U+FFFD in it is no usable key
   * @throws Exception if the message cannot be read; it is then parked, never run
   */
  String extract(Message message) throws Exception;
}
