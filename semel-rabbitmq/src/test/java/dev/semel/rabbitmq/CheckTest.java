package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.ConfigurationException;
import dev.semel.UnavailableException;
import dev.semel.spi.MessageSource;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestVhost;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One clear line for each thing that can be wrong before the start. */
class CheckTest {

  private RabbitNode node;
  private TestVhost vhost;

  @BeforeEach
  void prepare() throws Exception {
    node = SharedNode.get();
    vhost = node.createVhost("check");
  }

  @AfterEach
  void remove() throws Exception {
    vhost.close();
  }

  private static ThrowingCallable check(String uri, String queue) {
    return () -> ((MessageSource) RabbitMq.queue(uri, queue)).check();
  }

  @Test
  void saysNothingWhenAllIsThere() throws Exception {
    assertThatCode(check(vhost.amqpUri(), vhost.declareQueue("q"))).doesNotThrowAnyException();
  }

  @Test
  void wrongPassword() {
    String uri = vhost.amqpUri().replace(node.password(), "wr0ng");
    assertThatThrownBy(check(uri, "q"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "RabbitMQ at 127.0.0.1:%d refused user '%s' for vhost '%s': check the password",
            node.port(), node.user(), vhost.name())
        .hasStackTraceContaining("ACCESS_REFUSED")
        .satisfies(e -> assertNothingSecret(e, "wr0ng"));
  }

  private static void assertNothingSecret(Throwable error, String secret) {
    for (Throwable at = error; at != null; at = at.getCause()) {
      org.assertj.core.api.Assertions.assertThat(String.valueOf(at)).doesNotContain(secret);
    }
  }

  @Test
  void noSuchQueue() {
    assertThatThrownBy(check(vhost.amqpUri(), "absent"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "RabbitMQ at 127.0.0.1:%d has no queue 'absent' in vhost '%s': declare it or correct the name (Semel declares no queues)",
            node.port(), vhost.name());
  }

  @Test
  void noSuchVhost() {
    assertThatThrownBy(check(node.amqpUri("nope"), "q"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "RabbitMQ at 127.0.0.1:%d does not open vhost 'nope' to user '%s' (530 NOT_ALLOWED",
            node.port(), node.user())
        .hasMessageEndingWith("or correct the URI");
  }

  @Test
  void nobodyThere() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    assertThatThrownBy(check("amqp://app:s3cret@127.0.0.1:" + free, "q"))
        .isInstanceOf(UnavailableException.class)
        .hasMessage(
            "RabbitMQ at 127.0.0.1:%d cannot be reached (ConnectException: Connection refused)",
            free)
        .satisfies(e -> assertNothingSecret(e, "s3cret"));
  }

  @Test
  void tlsWhereThereIsNone() {
    String uri = vhost.amqpUri().replace("amqp://", "amqps://");
    assertThatThrownBy(check(uri, "q"))
        .isInstanceOfAny(ConfigurationException.class, UnavailableException.class)
        .hasMessageContaining("RabbitMQ at 127.0.0.1:" + node.port());
  }
}
