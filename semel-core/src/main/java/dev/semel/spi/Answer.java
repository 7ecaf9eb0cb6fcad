package dev.semel.spi;

/** What became of an attempt to send a {@link Promise}. */
public sealed interface Answer {

  /** The other side has it, and said so; it was not returned. */
  record Confirmed() implements Answer {}

  /**
   * Refused for a reason that may pass: it stays and is tried again after a pause that grows.
   *
   * @param reason one line, without credentials
   */
  record Later(String reason) implements Answer {}

  /**
   * Refused for a reason of its own that will not pass: it is parked.
   *
   * @param reason one line, without credentials
   */
  record Never(String reason) implements Answer {}

  /**
   * Nobody can say, or it was not sent at all: the destination is away. It stays as if nothing had
   * happened, and is sent again once the destination is back.
   */
  record Unsent() implements Answer {}
}
