package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerUriTest {

  @Test
  void readsAllParts() {
    BrokerUri uri = BrokerUri.parse("amqp://app:s%40c%2Fr+t@broker.example:5673/a%2Fb");
    assertThat(uri.tls()).isFalse();
    assertThat(uri.host()).isEqualTo("broker.example");
    assertThat(uri.port()).isEqualTo(5673);
    assertThat(uri.user()).isEqualTo("app");
    assertThat(uri.password()).isEqualTo("s@c/r+t");
    assertThat(uri.vhost()).isEqualTo("a/b");
    assertThat(uri).hasToString("amqp://broker.example:5673");
  }

  @Test
  void hasTheUsualDefaults() {
    BrokerUri uri = BrokerUri.parse("amqps://broker");
    assertThat(uri.tls()).isTrue();
    assertThat(uri.port()).isEqualTo(5671);
    assertThat(uri.vhost()).isEqualTo("/");
    assertThat(uri.user()).isEqualTo("guest");
    assertThat(BrokerUri.parse("AMQP://u:p@h/%2F").vhost()).isEqualTo("/");
    assertThat(BrokerUri.parse("amqp://u:p@h").port()).isEqualTo(5672);
  }

  @Test
  void readsAnAddressOfIpv6() {
    BrokerUri uri = BrokerUri.parse("amqp://u:p@[::1]:5999/v");
    assertThat(uri.host()).isEqualTo("::1");
    assertThat(uri.address()).isEqualTo("[::1]:5999");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "broker:5672",
        "http://app:s3cret@broker/",
        "amqp://app:s3cret@",
        "amqp://app:s3cret@broker/",
        "amqp://app:s3cret@broker/a/b",
        "amqp://app:s3cret@broker:port/v",
        "amqp://app:s3cret@my_broker/v",
        "amqp://app:s3cret#1@broker/v",
        "amqp://app:s3cret/1@broker/v",
        "amqp://app:s3cret@1@broker/v",
        "amqp://app:s3cret%1@broker/v",
        "amqp://app:s3cret %@broker/v",
        "amqp://app:s3cret@broker/v?heartbeat=5",
        "amqp://s3cret@broker/v",
        "amqp:app:s3cret@broker"
      })
  void refusesInOneLineWithoutThePassword(String text) {
    assertThatThrownBy(() -> RabbitMq.queue(text, "q"))
        .isInstanceOf(ConfigurationException.class)
        .hasNoCause()
        .satisfies(
            e ->
                assertThat(e.getMessage())
                    .startsWith("the RabbitMQ URI ")
                    .contains("amqp[s]://user:password@host[:port]/vhost")
                    .doesNotContain("s3cret", "\n"));
  }

  @Test
  void namesTheSourceWithoutHostOrCredentials() {
    assertThat(RabbitMq.queue("amqp://app:s3cret@h:1", "payments").name())
        .isEqualTo("rabbitmq://payments");
    assertThat(RabbitMq.queue("amqp://app:s3cret@h:1/shop", "payments"))
        .hasToString("rabbitmq:shop/payments");
    assertThat(RabbitMq.queue("amqp://app:s3cret@h:1/a%2Fb", "c").name())
        .isNotEqualTo(RabbitMq.queue("amqp://app:s3cret@h:1/a", "b/c").name());
  }

  @Test
  void refusesANameThatNoQueueHas() {
    for (String queue : new String[] {"", " ", "q".repeat(256)}) {
      assertThatThrownBy(() -> RabbitMq.queue("amqp://h", queue))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("name of the RabbitMQ queue");
    }
  }
}
