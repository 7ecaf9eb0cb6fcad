package dev.semel.rabbitmq;

import com.rabbitmq.client.LongString;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Between the values of AMQP tables and those of {@link dev.semel.Message#headers()}. */
final class HeaderValues {

  private HeaderValues() {}

  /** Recursion is bounded: the client refuses what is nested more than 32 levels deep. */
  static @Nullable Object of(@Nullable Object value) {
    if (value instanceof LongString text) {
      return textOrBytes(text.getBytes());
    }
    if (value instanceof Date date) {
      return instant(date);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((name, each) -> copy.put(String.valueOf(name), of(each)));
      return Collections.unmodifiableMap(copy);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>(list.size());
      list.forEach(each -> copy.add(of(each)));
      return Collections.unmodifiableList(copy);
    }
    return value;
  }

  /** The other way; what the client cannot send it refuses itself. */
  static @Nullable Object toAmqp(@Nullable Object value) {
    if (value instanceof Instant instant) {
      return Date.from(instant);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((name, each) -> copy.put(String.valueOf(name), toAmqp(each)));
      return copy;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>(list.size());
      list.forEach(each -> copy.add(toAmqp(each)));
      return copy;
    }
    return value;
  }

  /** AMQP has one type for texts and bytes; what is not UTF-8 was not meant as text. */
  private static Object textOrBytes(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return bytes.clone();
    }
  }

  /** Not {@code toInstant()}, which java.sql's dates refuse. */
  static Instant instant(Date date) {
    return Instant.ofEpochMilli(date.getTime());
  }
}
