package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.spi.MessageSource;
import org.junit.jupiter.api.Test;

class RabbitSourceBuilderTest {

  private final RabbitSourceBuilder builder = RabbitMq.source("amqp://a:b@localhost/v", "q");

  @Test
  void bothDoorsLeadToTheSameSource() {
    assertThat(builder.build().name())
        .isEqualTo("rabbitmq:v/q")
        .isEqualTo(RabbitMq.queue("amqp://a:b@localhost/v", "q").name());
  }

  @Test
  void boundsOfMaxMessageBytes() {
    for (int outside : new int[] {0, -1, 536_870_913}) {
      assertThatThrownBy(() -> builder.maxMessageBytes(outside))
          .isInstanceOf(ConfigurationException.class)
          .hasMessage("maxMessageBytes is %d, but must be from 1 to 536870912", outside);
    }
    assertThatCode(() -> builder.maxMessageBytes(1).maxMessageBytes(536_870_912))
        .doesNotThrowAnyException();
  }

  @Test
  void isImmutable() {
    MessageSource said = (MessageSource) builder.singleActiveConsumer().build();
    assertThat(said.oneProcessAtATime()).isTrue();
    assertThat(((MessageSource) builder.build()).oneProcessAtATime()).isFalse();
  }
}
