package dev.semel;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that is to leave once the transaction that it is handed to has committed: a promise. It
 * leaves at least once, with the same bytes and under the same id each time, so that whoever takes
 * it can tell copies by the id. Immutable.
 *
 * <p>Destination and address say where: a destination is a {@link Sender} that some process runs
 * (see {@link Semel.Builder#sender}), the address is what that one understands.
 */
public final class Outgoing {

  /** The destination of those who name none. */
  public static final String DEFAULT_DESTINATION = "rabbitmq";

  private static final int LONGEST_DESTINATION = 100;
  private static final int LONGEST_SHORT_TEXT = 255;
  private static final int LARGEST_BODY = 128 * 1024 * 1024;
  private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  private final String destination;
  private final String address;
  private final String routingKey;
  private final @Nullable String type;
  private final @Nullable String contentType;
  private final Map<String, Object> headers;
  private final byte[] body;
  private final @Nullable String orderingKey;
  private final @Nullable String name;
  private final @Nullable Instant notBefore;

  private Outgoing(Builder builder) {
    this.destination = builder.destination;
    this.address = builder.address;
    this.routingKey = builder.routingKey;
    this.type = builder.type;
    this.contentType = builder.contentType;
    this.headers =
        builder.headers.isEmpty()
            ? Map.of()
            : Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
    this.body = builder.body;
    this.orderingKey = builder.orderingKey;
    this.name = builder.name;
    this.notBefore = builder.notBefore;
  }

  /**
   * A message for an exchange of RabbitMQ.
   *
   * @param exchange the exchange; empty for the default exchange, whose routing keys are names of
   *     queues
   * @param routingKey the routing key
   * @return a builder with everything else empty
   */
  public static Builder to(String exchange, String routingKey) {
    return new Builder(
        Objects.requireNonNull(exchange, "exchange"),
        Objects.requireNonNull(routingKey, "routingKey"));
  }

  /**
   * Through which sender it leaves.
   *
   * @return the name of the destination
   */
  public String destination() {
    return destination;
  }

  /**
   * Where it goes at its destination; for RabbitMQ an exchange.
   *
   * @return the address, possibly empty
   */
  public String address() {
    return address;
  }

  /**
   * The second half of the address; for RabbitMQ the routing key.
   *
   * @return the routing key, possibly empty
   */
  public String routingKey() {
    return routingKey;
  }

  /**
   * What kind of message it is (AMQP {@code type}).
   *
   * @return the type, or null
   */
  public @Nullable String type() {
    return type;
  }

  /**
   * The MIME type of the body.
   *
   * @return the content type, or null
   */
  public @Nullable String contentType() {
    return contentType;
  }

  /**
   * The headers, with the types of {@link Message#headers()}.
   *
   * @return an unmodifiable map
   */
  public Map<String, Object> headers() {
    return headers;
  }

  /**
   * The body.
   *
   * @return a copy
   */
  public byte[] body() {
    return body.clone();
  }

  /**
   * The size of the body.
   *
   * @return bytes
   */
  public int size() {
    return body.length;
  }

  /**
   * Messages with equal ordering keys leave in the order in which their transactions committed, one
   * at a time; one that cannot leave holds back those behind it.
   *
   * @return the key, or null if it has no order
   */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /**
   * What tells it from the others that the same handler sends for the same message, so that its id
   * stays the same even if the handler sends them in another order or leaves one out.
   *
   * @return the name, or null: then the position among those without a name counts
   */
  public @Nullable String name() {
    return name;
  }

  /**
   * When it may leave at the earliest, by the database's clock.
   *
   * @return the time, or null for at once
   */
  public @Nullable Instant notBefore() {
    return notBefore;
  }

  /** Where it goes and its size; never the body or the headers, which may be secret. */
  @Override
  public String toString() {
    return "Outgoing["
        + destination
        + " "
        + address
        + "/"
        + routingKey
        + ", type="
        + type
        + ", "
        + body.length
        + " bytes]";
  }

  /** Fills in an {@link Outgoing}. Not safe for use by several threads. */
  public static final class Builder {

    private final String address;
    private final String routingKey;
    private final Map<String, Object> headers = new LinkedHashMap<>();
    private String destination = DEFAULT_DESTINATION;
    private @Nullable String type;
    private @Nullable String contentType;
    private byte[] body = {};
    private @Nullable String orderingKey;
    private @Nullable String name;
    private @Nullable Instant notBefore;

    private Builder(String address, String routingKey) {
      this.address = address;
      this.routingKey = routingKey;
    }

    /**
     * Sets the destination, {@value Outgoing#DEFAULT_DESTINATION} unless set.
     *
     * @param value the name of a sender; at most 100 bytes
     * @return this
     */
    public Builder destination(String value) {
      this.destination = Objects.requireNonNull(value, "destination");
      return this;
    }

    /**
     * Sets the type.
     *
     * @param value the type, or null; at most 255 bytes
     * @return this
     */
    public Builder type(@Nullable String value) {
      this.type = value;
      return this;
    }

    /**
     * Sets the content type.
     *
     * @param value the MIME type, or null; at most 255 bytes
     * @return this
     */
    public Builder contentType(@Nullable String value) {
      this.contentType = value;
      return this;
    }

    /**
     * Adds a header. All together may have 64 KiB as JSON.
     *
     * @param header its name; at most 255 bytes
     * @param value one of the types of {@link Message#headers()}
     * @return this
     */
    public Builder header(String header, @Nullable Object value) {
      headers.put(Objects.requireNonNull(header, "header"), value);
      return this;
    }

    /**
     * Sets the body.
     *
     * @param value the bytes; copied; at most 128 MiB, of which the broker may take less
     * @return this
     */
    public Builder body(byte[] value) {
      this.body = value.clone();
      return this;
    }

    /**
     * Sets the body from text, in UTF-8.
     *
     * @param value the text
     * @return this
     */
    public Builder body(String value) {
      this.body = value.getBytes(StandardCharsets.UTF_8);
      return this;
    }

    /**
     * Sets the ordering key, see {@link Outgoing#orderingKey()}.
     *
     * @param value the key, or null; of one over 200 bytes a digest is used
     * @return this
     */
    public Builder orderingKey(@Nullable String value) {
      this.orderingKey = value;
      return this;
    }

    /**
     * Sets the name, see {@link Outgoing#name()}.
     *
     * @param value a name, unique among those that the handler sends for one message; or null
     * @return this
     */
    public Builder name(@Nullable String value) {
      this.name = value;
      return this;
    }

    /**
     * Sets the earliest time. Of messages with one ordering key those behind it wait too.
     *
     * @param value a time from 2000 to 2200, or null
     * @return this
     */
    public Builder notBefore(@Nullable Instant value) {
      this.notBefore = value;
      return this;
    }

    /**
     * Sets the earliest time from now on, by this machine's clock.
     *
     * @param value how long it waits at least
     * @return this
     */
    public Builder notBefore(Duration value) {
      return notBefore(Instant.now().plus(value));
    }

    /**
     * The message.
     *
     * @return an immutable message; the builder may go on being used
     * @throws BadOutgoingException naming the first field that no broker or database would take
     */
    public Outgoing build() {
      text("destination", destination, LONGEST_DESTINATION);
      if (destination.isBlank()) {
        throw new BadOutgoingException("destination is blank; name a sender");
      }
      text("exchange", address, LONGEST_SHORT_TEXT);
      text("routingKey", routingKey, LONGEST_SHORT_TEXT);
      text("type", type, LONGEST_SHORT_TEXT);
      text("contentType", contentType, LONGEST_SHORT_TEXT);
      text("orderingKey", orderingKey, Integer.MAX_VALUE);
      headers.keySet().forEach(h -> text("name of header '" + h + "'", h, LONGEST_SHORT_TEXT));
      if (body.length > LARGEST_BODY) {
        throw new BadOutgoingException(
            "body has " + body.length + " bytes, but may have at most " + LARGEST_BODY);
      }
      if (notBefore != null && (notBefore.isBefore(EARLIEST) || notBefore.isAfter(LATEST))) {
        throw new BadOutgoingException(
            "notBefore is " + notBefore + ", but must be from 2000 to 2200");
      }
      return new Outgoing(this);
    }

    private static void text(String field, @Nullable String value, int longest) {
      if (value == null) {
        return;
      }
      if (value.indexOf('\0') >= 0) {
        throw new BadOutgoingException(field + " has a NUL in it, which no database column takes");
      }
      int bytes = value.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > longest) {
        throw new BadOutgoingException(
            field + " has " + bytes + " bytes, but may have at most " + longest);
      }
    }
  }
}
