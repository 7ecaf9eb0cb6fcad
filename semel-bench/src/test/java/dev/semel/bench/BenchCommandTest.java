package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void help_lists_the_verbs() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).containsPattern("inbox +How").containsPattern("redelivery +How");
    assertThat(out.toString()).containsPattern("parked +How");
  }

  @Test
  void help_tells_the_defaults() {
    assertThat(run("redelivery", "--help")).isZero();
    assertThat(run("parked", "--help")).isZero();

    assertThat(out.toString()).contains("(default: 200000)", "(default: 100000)");
    assertThat(out.toString()).contains("--rounds", "--amqp", "--json");
  }

  @Test
  void a_number_that_cannot_work_is_wrong_usage() {
    assertThat(run("redelivery", "--messages", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--messages must be from 1 to 10000000");
    assertThat(run("parked", "--parked", "10000001")).isEqualTo(2);
    assertThat(err.toString()).contains("--parked must be from 1 to 10000000");
    assertThat(run("parked", "--rounds", "1001")).isEqualTo(2);
    assertThat(err.toString()).contains("--rounds must be from 1 to 1000");
    assertThat(run()).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void a_broker_that_is_not_there_is_told_at_once() {
    assertThat(run("redelivery", "--amqp", "amqp://guest:secret@localhost:1/")).isEqualTo(2);
    assertThat(err.toString()).contains("localhost:1").doesNotContain("secret");
  }

  @Test
  void contenders_are_named_by_letters() {
    assertThat(InboxBench.plan(1, 1, null, "db").contenders())
        .containsExactly(InboxBench.B, InboxBench.D);
    for (String wrong : List.of("", "f", "dd", "A")) {
      assertThatThrownBy(() -> InboxBench.plan(1, 1, null, wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--only");
    }
  }

  private int run(String... args) {
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
