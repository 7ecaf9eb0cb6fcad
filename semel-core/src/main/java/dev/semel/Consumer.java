package dev.semel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One consumer: a name under which keys are stored, where its messages come from, and what applies
 * them. Immutable.
 *
 * <p>The name is the scope of the keys: two consumers each apply a message once. Renaming a
 * consumer makes every message new to it.
 */
public final class Consumer {

  /** Longest name, in characters. */
  public static final int MAX_NAME = 100;

  private final String name;
  private final @Nullable Source source;
  private final @Nullable String movedFrom;
  private final @Nullable Handler handler;
  private final @Nullable BatchHandler batchHandler;
  private final Identity identity;
  private final Fingerprint fingerprint;
  private final @Nullable KeyExtractor orderingKey;
  private final FailurePolicy failurePolicy;
  private final Duration pause;
  private final RetryPolicy retry;
  private final List<Class<? extends Throwable>> permanent;
  private final @Nullable Outgoing deadLettersTo;
  private final int parkedLimit;
  private final Duration acknowledgementTimeout;
  private final @Nullable Duration handlerTime;
  private final @Nullable Integer lanes;
  private final @Nullable Integer batch;
  private final @Nullable Integer prefetch;

  private Consumer(Builder b) {
    this.name = b.name;
    this.source = b.source;
    this.movedFrom = b.movedFrom;
    this.handler = b.handler;
    this.batchHandler = b.batchHandler;
    this.identity = b.identity;
    this.fingerprint = b.fingerprint;
    this.orderingKey = b.orderingKey;
    this.failurePolicy = b.failurePolicy;
    this.pause = b.pause;
    this.retry = b.retry;
    this.permanent = b.permanent;
    this.deadLettersTo = b.deadLettersTo;
    this.parkedLimit = b.parkedLimit;
    this.acknowledgementTimeout = b.acknowledgementTimeout;
    this.handlerTime = b.handlerTime;
    this.lanes = b.lanes;
    this.batch = b.batch;
    this.prefetch = b.prefetch;
  }

  /**
   * A consumer to be filled in.
   *
   * @param name the scope of its keys: 1 to {@value #MAX_NAME} characters, none of them a control
   *     character
   * @return a builder with the defaults
   * @throws ConfigurationException if the name cannot be used
   */
  public static Builder named(String name) {
    Objects.requireNonNull(name, "name");
    if (name.isBlank()
        || name.length() > MAX_NAME
        || name.chars().anyMatch(Character::isISOControl)) {
      throw new ConfigurationException(
          "a consumer's name must be 1 to "
              + MAX_NAME
              + " characters and not blank: '"
              + name
              + "'");
    }
    return new Builder(name);
  }

  /**
   * A builder that is filled in like this consumer.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    Builder b = new Builder(name);
    b.source = source;
    b.movedFrom = movedFrom;
    b.handler = handler;
    b.batchHandler = batchHandler;
    b.identity = identity;
    b.fingerprint = fingerprint;
    b.orderingKey = orderingKey;
    b.failurePolicy = failurePolicy;
    b.pause = pause;
    b.retry = retry;
    b.permanent = permanent;
    b.deadLettersTo = deadLettersTo;
    b.parkedLimit = parkedLimit;
    b.acknowledgementTimeout = acknowledgementTimeout;
    b.handlerTime = handlerTime;
    b.lanes = lanes;
    b.batch = batch;
    b.prefetch = prefetch;
    return b;
  }

  /**
   * The scope of the keys.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Where messages come from.
   *
   * @return the source; null for a consumer that is used through {@link Semel#inbox} only
   */
  public @Nullable Source source() {
    return source;
  }

  /**
   * The name of the source from which the same messages moved here.
   *
   * @return the old source's name, or null
   */
  public @Nullable String movedFrom() {
    return movedFrom;
  }

  /**
   * What applies messages one by one.
   *
   * @return the handler, or null
   */
  public @Nullable Handler handler() {
    return handler;
  }

  /**
   * What applies messages in batches.
   *
   * @return the handler, or null
   */
  public @Nullable BatchHandler batchHandler() {
    return batchHandler;
  }

  /**
   * What makes two deliveries the same message.
   *
   * @return the choice
   */
  public Identity identity() {
    return identity;
  }

  /**
   * What tells a copy from another message with the same key.
   *
   * @return the choice
   */
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /**
   * Takes the ordering key.
   *
   * @return the extractor; null for a consumer without order
   */
  public @Nullable KeyExtractor orderingKey() {
    return orderingKey;
  }

  /**
   * What happens to failed messages.
   *
   * @return the policy
   */
  public FailurePolicy failurePolicy() {
    return failurePolicy;
  }

  /**
   * The first pause after a failure.
   *
   * @return see {@link Setting#PAUSE}
   */
  public Duration pause() {
    return pause;
  }

  /**
   * When parked messages run again.
   *
   * @return the policy
   */
  public RetryPolicy retry() {
    return retry;
  }

  /**
   * Whether a failure is one that no further run can mend.
   *
   * @param failure what a handler threw
   * @return true for {@link PermanentFailure} and the types of {@link Builder#permanentOn}, also as
   *     a cause
   */
  public boolean isPermanent(Throwable failure) {
    int depth = 0;
    for (Throwable t = failure; t != null && depth < 50; t = t.getCause(), depth++) {
      Throwable seen = t;
      if (t instanceof PermanentFailure || permanent.stream().anyMatch(p -> p.isInstance(seen))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where copies of dead messages go.
   *
   * @return a message without content for that place, or null if they stay where they are
   */
  public @Nullable Outgoing deadLettersTo() {
    return deadLettersTo;
  }

  /**
   * Above how many waiting parked messages the intake stops.
   *
   * @return see {@link Setting#PARKED_LIMIT}
   */
  public int parkedLimit() {
    return parkedLimit;
  }

  /**
   * The broker's limit for an unacknowledged message.
   *
   * @return see {@link Setting#ACKNOWLEDGEMENT_TIMEOUT}
   */
  public Duration acknowledgementTimeout() {
    return acknowledgementTimeout;
  }

  /**
   * How long the handler is expected to take at most.
   *
   * @return see {@link Setting#HANDLER_TIME}; null if nobody said
   */
  public @Nullable Duration handlerTime() {
    return handlerTime;
  }

  /**
   * Lanes of this consumer.
   *
   * @return see {@link Setting#LANES}; null for the one of {@link Semel.Builder}
   */
  public @Nullable Integer lanes() {
    return lanes;
  }

  /**
   * Batch of this consumer.
   *
   * @return see {@link Setting#BATCH}; null for the one of {@link Semel.Builder}
   */
  public @Nullable Integer batch() {
    return batch;
  }

  /**
   * Prefetch of this consumer.
   *
   * @return see {@link Setting#PREFETCH}; null for the one of {@link Semel.Builder}
   */
  public @Nullable Integer prefetch() {
    return prefetch;
  }

  /** Fills in a {@link Consumer}. Not safe for use by several threads. */
  public static final class Builder {

    private final String name;
    private @Nullable Source source;
    private @Nullable String movedFrom;
    private @Nullable Handler handler;
    private @Nullable BatchHandler batchHandler;
    private Identity identity = Identity.messageId();
    private Fingerprint fingerprint = Fingerprint.body();
    private @Nullable KeyExtractor orderingKey;
    private FailurePolicy failurePolicy = FailurePolicy.PARK;
    private Duration pause = Duration.ofSeconds(1);
    private RetryPolicy retry = RetryPolicy.defaults();
    private List<Class<? extends Throwable>> permanent = List.of();
    private @Nullable Outgoing deadLettersTo;
    private int parkedLimit = 10_000;
    private Duration acknowledgementTimeout = Duration.ofMinutes(30);
    private @Nullable Duration handlerTime;
    private @Nullable Integer lanes;
    private @Nullable Integer batch;
    private @Nullable Integer prefetch;

    private Builder(String name) {
      this.name = name;
    }

    /**
     * Sets where messages come from; compulsory for a worker.
     *
     * @param value made by an adapter
     * @return this
     */
    public Builder source(Source value) {
      this.source = Objects.requireNonNull(value, "source");
      return this;
    }

    /**
     * Says that the messages of another source now come from this one, so that the keys go on
     * counting. Without it, a consumer that is registered with another source does not start.
     *
     * @param oldSource {@link Source#name()} of the source that it is registered with
     * @return this
     */
    public Builder movedFrom(String oldSource) {
      this.movedFrom = Objects.requireNonNull(oldSource, "oldSource");
      return this;
    }

    /**
     * Sets what applies messages one by one. This or {@link #batchHandler}.
     *
     * @param value called by several threads
     * @return this
     */
    public Builder handler(Handler value) {
      this.handler = Objects.requireNonNull(value, "handler");
      return this;
    }

    /**
     * Sets what applies messages in batches. This or {@link #handler}.
     *
     * @param value called by several threads
     * @return this
     */
    public Builder batchHandler(BatchHandler value) {
      this.batchHandler = Objects.requireNonNull(value, "batchHandler");
      return this;
    }

    /**
     * Sets what makes two deliveries the same message; {@link Identity#messageId()} by default.
     *
     * @param value the choice
     * @return this
     */
    public Builder identity(Identity value) {
      this.identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Sets what tells a copy from a conflict; {@link Fingerprint#body()} by default.
     *
     * @param value the choice
     * @return this
     */
    public Builder fingerprint(Fingerprint value) {
      this.fingerprint = Objects.requireNonNull(value, "fingerprint");
      return this;
    }

    /**
     * Sets the ordering key: messages of one key are applied in the order of the source, one after
     * the other, in whatever process, with as many lanes as wanted; a message that waits to be
     * tried again holds the later ones of its key back, and only a dead one lets them go on. The
     * source must give its messages to one process at a time (RabbitMQ: a queue with a single
     * active consumer); a worker with another does not start. A message for which the extractor
     * gives null has no order. Without this setting all messages of such a source are of one key.
     *
     * @param value takes the key; called by several threads
     * @return this
     */
    public Builder orderingKey(KeyExtractor value) {
      this.orderingKey = Objects.requireNonNull(value, "orderingKey");
      return this;
    }

    /**
     * Sets what happens to failed messages; {@link FailurePolicy#PARK} by default.
     *
     * @param value the policy
     * @return this
     */
    public Builder failurePolicy(FailurePolicy value) {
      this.failurePolicy = Objects.requireNonNull(value, "failurePolicy");
      return this;
    }

    /**
     * Sets {@link Setting#PAUSE}.
     *
     * @param value the first pause
     * @return this
     */
    public Builder pause(Duration value) {
      this.pause = Setting.PAUSE.checked(value);
      return this;
    }

    /**
     * Sets when parked messages run again; {@link RetryPolicy#defaults()} by default.
     *
     * @param value the policy
     * @return this
     */
    public Builder retry(RetryPolicy value) {
      this.retry = Objects.requireNonNull(value, "retry");
      return this;
    }

    /**
     * Names an exception of the handler that no further run can mend, such as that of a decoder:
     * the message is dead at once. {@link PermanentFailure} always is one. May be called several
     * times.
     *
     * @param type the exception, with its subclasses; also found as a cause
     * @return this
     */
    public Builder permanentOn(Class<? extends Throwable> type) {
      List<Class<? extends Throwable>> all = new ArrayList<>(permanent);
      all.add(Objects.requireNonNull(type, "type"));
      this.permanent = List.copyOf(all);
      return this;
    }

    /**
     * Names a place for dead letters: the transaction that makes a message dead also promises a
     * copy of it to the destination {@value Outgoing#DEFAULT_DESTINATION}. It is sent by whichever
     * process has a {@link Semel.Builder#sender sender} of that name, persistent, without an
     * expiration, under the message's own id (or one made for it, if that has over 255 bytes), with
     * its type, content type and headers, and with {@code semel-dead-reason} and other headers that
     * begin so; {@code semel-dead-without} says what no outbox could hold. If the place is missing
     * the copy waits in the outbox. The message itself stays in {@code parked_messages}, and is
     * replayed from there.
     *
     * @param exchange the exchange; empty for the default exchange
     * @param routingKey the routing key; for the default exchange the name of a queue
     * @return this
     * @throws ConfigurationException if no broker would take the names
     */
    public Builder deadLettersTo(String exchange, String routingKey) {
      return deadLettersTo(Outgoing.DEFAULT_DESTINATION, exchange, routingKey);
    }

    /**
     * The same with another destination.
     *
     * @param destination the name of a sender
     * @param address where it goes there
     * @param routingKey the second half of that
     * @return this
     * @throws ConfigurationException if no broker would take the names
     */
    public Builder deadLettersTo(String destination, String address, String routingKey) {
      try {
        this.deadLettersTo = Outgoing.to(address, routingKey).destination(destination).build();
      } catch (BadOutgoingException e) {
        throw new ConfigurationException("deadLettersTo: " + e.getMessage(), e);
      }
      return this;
    }

    /**
     * Sets {@link Setting#PARKED_LIMIT}.
     *
     * @param value messages
     * @return this
     */
    public Builder parkedLimit(int value) {
      this.parkedLimit = Setting.PARKED_LIMIT.checked(value);
      return this;
    }

    /**
     * Sets {@link Setting#ACKNOWLEDGEMENT_TIMEOUT}.
     *
     * @param value what the broker is set to
     * @return this
     */
    public Builder acknowledgementTimeout(Duration value) {
      this.acknowledgementTimeout = Setting.ACKNOWLEDGEMENT_TIMEOUT.checked(value);
      return this;
    }

    /**
     * Sets {@link Setting#HANDLER_TIME}.
     *
     * @param value the longest time that is expected
     * @return this
     */
    public Builder handlerTime(Duration value) {
      this.handlerTime = Setting.HANDLER_TIME.checked(value);
      return this;
    }

    /**
     * Sets {@link Setting#LANES} for this consumer.
     *
     * @param value lanes
     * @return this
     */
    public Builder lanes(int value) {
      this.lanes = Setting.LANES.checked(value);
      return this;
    }

    /**
     * Sets {@link Setting#BATCH} for this consumer.
     *
     * @param value messages
     * @return this
     */
    public Builder batch(int value) {
      this.batch = Setting.BATCH.checked(value);
      return this;
    }

    /**
     * Sets {@link Setting#PREFETCH} for this consumer.
     *
     * @param value messages
     * @return this
     */
    public Builder prefetch(int value) {
      this.prefetch = Setting.PREFETCH.checked(value);
      return this;
    }

    /**
     * The consumer.
     *
     * @return an immutable consumer; the builder may go on being used
     * @throws ConfigurationException if both kinds of handler are set, or a source without a
     *     handler
     */
    public Consumer build() {
      if (handler != null && batchHandler != null) {
        throw new ConfigurationException(
            "consumer '" + name + "' has a handler and a batchHandler; set one of them");
      }
      if (source != null && handler == null && batchHandler == null) {
        throw new ConfigurationException(
            "consumer '" + name + "' has a source but no handler; set handler or batchHandler");
      }
      if (lanes != null) {
        Settings.checkPrefetch(prefetch, lanes);
      }
      return new Consumer(this);
    }
  }
}
