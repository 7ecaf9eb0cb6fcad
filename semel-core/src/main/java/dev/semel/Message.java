package dev.semel;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message as it was received: bytes, headers and properties. Immutable. */
public final class Message {

  private final @Nullable String id;
  private final @Nullable String type;
  private final @Nullable String contentType;
  private final @Nullable Instant timestamp;
  private final Map<String, Object> headers;
  private final Map<String, String> properties;
  private final byte[] body;

  private Message(Builder builder) {
    this.id = builder.id;
    this.type = builder.type;
    this.contentType = builder.contentType;
    this.timestamp = builder.timestamp;
    this.headers = frozen(builder.headers);
    this.properties = frozen(builder.properties);
    this.body = builder.body;
  }

  private static <V> Map<String, V> frozen(Map<String, V> map) {
    return map.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }

  /**
   * A message to be filled in.
   *
   * @return an empty builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The id that the producer gave (AMQP {@code message-id}), exactly as received.
   *
   * @return the id, or null if there is none
   */
  public @Nullable String id() {
    return id;
  }

  /**
   * What kind of message the producer says this is (AMQP {@code type}).
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
   * When the producer says it made the message (AMQP {@code timestamp}; whole seconds there).
   *
   * @return the time, or null
   */
  public @Nullable Instant timestamp() {
    return timestamp;
  }

  /**
   * The headers. Values are String, Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal,
   * Instant, byte[], List, Map, or null.
   *
   * @return an unmodifiable map
   */
  public Map<String, Object> headers() {
    return headers;
  }

  /**
   * The one text that stands for a header's value, whatever type the producer's library chose, so
   * that copies of one message sent by two libraries have one key: text as it is; bytes read as
   * UTF-8; all whole numbers in decimal, also {@code 7.0}; other numbers in plain decimal without
   * trailing zeros; {@code true} and {@code false}; a time in ISO-8601; lists and maps as JSON with
   * sorted names, in which texts are quoted.
   *
   * @param name the header, case as sent
   * @return the text, or null if there is no such header or its value is null
   */
  public @Nullable String headerText(String name) {
    return HeaderText.of(headers.get(name));
  }

  /**
   * The other properties of the broker's envelope by their AMQP names, as text: {@code
   * content-encoding, correlation-id, reply-to, expiration, priority, delivery-mode, app-id,
   * user-id, cluster-id, exchange, routing-key}. Only those that were there.
   *
   * @return an unmodifiable map
   */
  public Map<String, String> properties() {
    return properties;
  }

  /**
   * The body.
   *
   * @return a copy, so that a handler cannot change what is parked or run again
   */
  public byte[] body() {
    return body.clone();
  }

  /**
   * The body as text.
   *
   * @return the bytes read as UTF-8; malformed parts become U+FFFD
   */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * The size of the body.
   *
   * @return bytes
   */
  public int size() {
    return body.length;
  }

  /** Not a copy; for reading only. */
  byte[] bytes() {
    return body;
  }

  /** Id and size; never the body or the headers, which may be secret. */
  @Override
  public String toString() {
    return "Message[id=" + id + ", type=" + type + ", " + body.length + " bytes]";
  }

  /** Fills in a {@link Message}. Not safe for use by several threads. */
  public static final class Builder {

    private @Nullable String id;
    private @Nullable String type;
    private @Nullable String contentType;
    private @Nullable Instant timestamp;
    private final Map<String, Object> headers = new LinkedHashMap<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private byte[] body = {};

    private Builder() {}

    /**
     * Sets the producer's id.
     *
     * @param value the id, or null
     * @return this
     */
    public Builder id(@Nullable String value) {
      this.id = value;
      return this;
    }

    /**
     * Sets the type.
     *
     * @param value the type, or null
     * @return this
     */
    public Builder type(@Nullable String value) {
      this.type = value;
      return this;
    }

    /**
     * Sets the content type.
     *
     * @param value the MIME type, or null
     * @return this
     */
    public Builder contentType(@Nullable String value) {
      this.contentType = value;
      return this;
    }

    /**
     * Sets the producer's time.
     *
     * @param value the time, or null
     * @return this
     */
    public Builder timestamp(@Nullable Instant value) {
      this.timestamp = value;
      return this;
    }

    /**
     * Adds a header.
     *
     * @param name its name
     * @param value one of the types of {@link Message#headers()}
     * @return this
     */
    public Builder header(String name, @Nullable Object value) {
      headers.put(name, value);
      return this;
    }

    /**
     * Adds a property.
     *
     * @param name one of the names of {@link Message#properties()}
     * @param value its text; null adds nothing
     * @return this
     */
    public Builder property(String name, @Nullable Object value) {
      if (value != null) {
        properties.put(name, value.toString());
      }
      return this;
    }

    /**
     * Sets the body.
     *
     * @param value the bytes; copied
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
     * The message.
     *
     * @return an immutable message; the builder may go on being used
     */
    public Message build() {
      Objects.requireNonNull(body, "body");
      return new Message(this);
    }
  }
}
