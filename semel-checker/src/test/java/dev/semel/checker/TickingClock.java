package dev.semel.checker;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Goes on by a millisecond whenever it is read, so that the order of events in a test is the order
 * of its lines.
 */
final class TickingClock implements InstantSource {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Override
  public synchronized Instant instant() {
    now = now.plusMillis(1);
    return now;
  }
}
