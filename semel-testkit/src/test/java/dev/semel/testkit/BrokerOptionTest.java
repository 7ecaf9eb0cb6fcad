package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code ./semel test --broker} with what it cannot do: one line, exit status 2, no build. */
class BrokerOptionTest {

  @Test
  void refusesAnUnknownVersion() throws Exception {
    assertThat(refusal("--broker", "3.9")).contains("unknown RabbitMQ '3.9'", "3.10, 4.0 or 4.3");
    assertThat(refusal("--long", "--broker=9")).contains("unknown RabbitMQ '9'");
    assertThat(refusal("--broker")).contains("--broker needs a version");
  }

  @Test
  void refusesABrokerBesideAGivenOne() throws Exception {
    assertThat(refusal("--broker", "4.0")).contains("cannot be used with SEMEL_TEST_AMQP_URI");
  }

  private static String refusal(String... options) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(Path.of("..", "semel").toString(), "test"), Stream.of(options))
                .toList());
    // with it no version is accepted, so that nothing can be built here
    builder.environment().put("SEMEL_TEST_AMQP_URI", "amqp://127.0.0.1");
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(List.of(said.split("\n"))).hasSize(1);
    return said;
  }
}
