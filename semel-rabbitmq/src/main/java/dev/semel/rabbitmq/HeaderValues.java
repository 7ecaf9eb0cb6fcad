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

/** From the values of AMQP tables to those of {@link dev.semel.Message#headers()}. */
final class HeaderValues {

  /** Deeper lists and tables come from nobody who means well, and would overflow our stack. */
  static final int MAX_DEPTH = 100;

  static final String TOO_DEEP = "(nested too deeply)";

  private HeaderValues() {}

  static @Nullable Object of(@Nullable Object value) {
    return of(value, 0);
  }

  private static @Nullable Object of(@Nullable Object value, int depth) {
    if (value instanceof LongString text) {
      return textOrBytes(text.getBytes());
    }
    if (value instanceof Date date) {
      return instant(date);
    }
    if (value instanceof List<?> || value instanceof Map<?, ?>) {
      return depth >= MAX_DEPTH ? TOO_DEEP : nested(value, depth + 1);
    }
    return value;
  }

  private static Object nested(Object value, int depth) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((name, each) -> copy.put(String.valueOf(name), of(each, depth)));
      return Collections.unmodifiableMap(copy);
    }
    List<@Nullable Object> copy = new ArrayList<>();
    ((List<?>) value).forEach(each -> copy.add(of(each, depth)));
    return Collections.unmodifiableList(copy);
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
