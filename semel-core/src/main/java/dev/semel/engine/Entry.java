package dev.semel.engine;

import dev.semel.BadIdentityException;
import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.spi.Delivery;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way through a lane: what was computed from it once, and what has happened to
 * this delivery of it. Belongs to one lane at a time.
 */
final class Entry {

  private static final byte[] NO_FINGERPRINT = {};

  final Message message;

  /** Null when the message came through {@link dev.semel.Inbox}. */
  final @Nullable Delivery delivery;

  /** Null when there is no usable key; then {@link #badReason} says why. */
  final @Nullable String key;

  final @Nullable String badReason;
  final byte[] fingerprint;
  final @Nullable String orderingKey;

  /** The producer's time, as far as it can be believed. */
  final @Nullable Instant stamp;

  /**
   * Made once for each delivery, so that a parking whose commit was lost in the line is the same
   * row when it is sent again.
   */
  private @Nullable UUID parkingId;

  long receivedNanos;

  /** The row in {@code parked_messages} that it runs from; null for a delivery. */
  final ParkedMessages.@Nullable Lease lease;

  boolean settled;

  /** When it was first found in flight, and when its run failed; 0 for never. */
  long inFlightSince;

  long failedAt;

  /** Whether it is the one behind which others of its ordering key are held. */
  boolean holds;

  int runs;
  int uncountedRuns;
  int looks;

  private Entry(
      Message message,
      @Nullable Delivery delivery,
      @Nullable String key,
      @Nullable String badReason,
      byte[] fingerprint,
      @Nullable String orderingKey) {
    this(
        message,
        delivery,
        key,
        badReason,
        fingerprint,
        orderingKey,
        Stamps.of(message, key),
        null,
        System.nanoTime());
  }

  private Entry(
      Message message,
      @Nullable Delivery delivery,
      @Nullable String key,
      @Nullable String badReason,
      byte[] fingerprint,
      @Nullable String orderingKey,
      @Nullable Instant stamp,
      ParkedMessages.@Nullable Lease lease,
      long receivedNanos) {
    this.message = message;
    this.delivery = delivery;
    this.key = key;
    this.badReason = badReason;
    this.fingerprint = fingerprint;
    this.orderingKey = orderingKey;
    this.stamp = stamp;
    this.lease = lease;
    this.receivedNanos = receivedNanos;
  }

  /**
   * A row that runs again. What was computed when it was parked is not computed anew: an operator
   * may have given it another key. One that is proved new is too old for no age fence.
   */
  static Entry ofParked(
      Message message,
      ParkedMessages.Lease lease,
      @Nullable String key,
      @Nullable String badReason,
      byte[] fingerprint,
      @Nullable String orderingKey,
      boolean proved) {
    return new Entry(
        message,
        null,
        key,
        badReason,
        fingerprint,
        orderingKey,
        proved ? null : Stamps.of(message, key),
        lease,
        System.nanoTime());
  }

  static Entry of(Consumer consumer, Message message, @Nullable Delivery delivery) {
    try {
      return extracted(consumer, message, delivery);
    } catch (StackOverflowError | LinkageError | AssertionError e) {
      // Of the user's extractors: deeply nested JSON is enough.
      return unusable(
          message, delivery, "extractor of id, fingerprint or ordering key failed: " + e);
    }
  }

  private static Entry extracted(Consumer consumer, Message message, @Nullable Delivery delivery) {
    String refusal = delivery == null ? null : delivery.refusal();
    if (refusal != null) {
      return unusable(message, delivery, refusal);
    }
    String key;
    byte[] fingerprint;
    try {
      key = consumer.identity().keyOf(message);
      fingerprint = consumer.fingerprint().of(message);
    } catch (BadIdentityException e) {
      return unusable(message, delivery, String.valueOf(e.getMessage()));
    }
    if (consumer.orderingKey() == null) {
      return new Entry(message, delivery, key, null, fingerprint, null);
    }
    try {
      String orderingKey = consumer.orderingKey().extract(message);
      return orderingKey != null && orderingKey.indexOf('\0') >= 0
          ? unusable(message, delivery, "unusable ordering key: it has a NUL in it")
          : new Entry(
              message,
              delivery,
              key,
              null,
              fingerprint,
              orderingKey == null ? null : Texts.shortKey(orderingKey));
    } catch (Exception e) {
      return unusable(message, delivery, "ordering key extractor failed: " + e);
    }
  }

  private static Entry unusable(Message message, @Nullable Delivery delivery, String reason) {
    return new Entry(message, delivery, null, reason, NO_FINGERPRINT, null);
  }

  /** Of a delivery that was received some time ago. */
  static Entry of(Consumer consumer, Delivery delivery, long receivedNanos) {
    Entry entry = of(consumer, delivery.message(), delivery);
    entry.receivedNanos = receivedNanos;
    return entry;
  }

  UUID parkingId() {
    if (parkingId == null) {
      parkingId = UUID.randomUUID();
    }
    return parkingId;
  }

  boolean live() {
    return delivery == null || delivery.live();
  }

  boolean suspect() {
    return delivery != null && delivery.suspect();
  }

  int returns() {
    return delivery == null ? 0 : delivery.returns();
  }

  boolean redelivered() {
    return delivery != null && delivery.redelivered();
  }

  /** What people see in logs. */
  String name() {
    return key != null ? key : "(no usable id)";
  }
}
