package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.impl.LongStringHelper;
import dev.semel.Message;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessagesTest {

  private static final Envelope ENVELOPE = new Envelope(7, true, "orders", "order.paid");

  private static Message of(BasicProperties properties) {
    return Messages.of(ENVELOPE, properties, new byte[] {1, 2});
  }

  private static Message withHeader(Object value) {
    Map<String, Object> headers = new HashMap<>();
    headers.put("h", value);
    return of(new BasicProperties.Builder().headers(headers).build());
  }

  @Test
  void keepsAllProperties() {
    Message message =
        of(
            new BasicProperties.Builder()
                .messageId("m-1")
                .type("order.paid")
                .contentType("application/json")
                .timestamp(new Date(1_700_000_000_000L))
                .contentEncoding("gzip")
                .correlationId("c")
                .replyTo("r")
                .expiration("60000")
                .priority(3)
                .deliveryMode(2)
                .appId("a")
                .userId("u")
                .clusterId("k")
                .build());
    assertThat(message.id()).isEqualTo("m-1");
    assertThat(message.type()).isEqualTo("order.paid");
    assertThat(message.contentType()).isEqualTo("application/json");
    assertThat(message.timestamp()).isEqualTo(Instant.ofEpochSecond(1_700_000_000));
    assertThat(message.body()).containsExactly(1, 2);
    Map<String, String> expected = new LinkedHashMap<>();
    expected.put("content-encoding", "gzip");
    expected.put("correlation-id", "c");
    expected.put("reply-to", "r");
    expected.put("expiration", "60000");
    expected.put("priority", "3");
    expected.put("delivery-mode", "2");
    expected.put("app-id", "a");
    expected.put("user-id", "u");
    expected.put("cluster-id", "k");
    expected.put("exchange", "orders");
    expected.put("routing-key", "order.paid");
    assertThat(message.properties()).isEqualTo(expected);
  }

  @Test
  void addsNothingThatWasNotThere() {
    Message message = of(new BasicProperties.Builder().build());
    assertThat(message.id()).isNull();
    assertThat(message.timestamp()).isNull();
    assertThat(message.headers()).isEmpty();
    assertThat(message.properties()).containsOnlyKeys("exchange", "routing-key");
  }

  @Test
  void textIsTextAndWhatIsNotTextIsBytes() {
    assertThat(withHeader(LongStringHelper.asLongString("grün")).headers())
        .containsEntry("h", "grün");
    byte[] notText = {'a', (byte) 0xFF};
    assertThat(withHeader(LongStringHelper.asLongString(notText)).headers().get("h"))
        .isEqualTo(notText);
    assertThat(withHeader(notText).headers().get("h")).isEqualTo(notText);
  }

  @Test
  void keepsNumbersAndTimes() {
    Date extreme = new Date(Long.MAX_VALUE);
    for (Object kept :
        List.of((byte) 1, (short) 2, 3, 4L, 5.5f, 6.5d, true, new BigDecimal("7.00"))) {
      assertThat(withHeader(kept).headers().get("h")).isEqualTo(kept);
    }
    assertThat(withHeader(new Date(5_000)).headers().get("h")).isEqualTo(Instant.ofEpochSecond(5));
    assertThat(withHeader(extreme).headers().get("h"))
        .isEqualTo(Instant.ofEpochMilli(Long.MAX_VALUE));
    assertThat(withHeader(new java.sql.Date(5_000)).headers().get("h"))
        .isEqualTo(Instant.ofEpochSecond(5));
    assertThat(withHeader(null).headers()).containsEntry("h", null);
  }

  @Test
  void convertsListsAndTablesInside() {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put("text", LongStringHelper.asLongString("x"));
    inner.put("none", null);
    Message message =
        withHeader(
            Arrays.asList(
                LongStringHelper.asLongString("a"), null, inner, List.of(1, new Date(0))));
    Map<String, Object> expected = new HashMap<>();
    expected.put("text", "x");
    expected.put("none", null);
    assertThat(message.headers().get("h"))
        .isEqualTo(Arrays.asList("a", null, expected, List.of(1, Instant.EPOCH)));
    assertThat(message.headerText("h"))
        .isEqualTo("[\"a\",null,{\"none\":null,\"text\":\"x\"},[1,\"1970-01-01T00:00:00Z\"]]");
  }

  @Test
  void convertsAsDeepAsTheClientReads() {
    Object value = LongStringHelper.asLongString("deep");
    for (int i = 0; i < 32; i++) {
      List<Object> outer = new ArrayList<>();
      outer.add(value);
      value = outer;
    }
    assertThat(withHeader(value).headerText("h"))
        .isEqualTo("[".repeat(32) + "\"deep\"" + "]".repeat(32));
  }
}
