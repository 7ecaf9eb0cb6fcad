package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.worker.demo.DemoResult;
import dev.semel.worker.demo.Findings;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the demo says and ends with when events were lost or invented. */
class DemoVerdictTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void all_events_delivered_is_a_success() {
    assertThat(report(Findings.good(2))).isEqualTo(ExitStatus.GOOD);
    assertThat(out.toString())
        .contains("30 events written, 30 delivered", "LOST: 0; INVENTED", "its event left");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void a_lost_event_is_a_failure() {
    assertThat(report(Findings.lostEvent())).isEqualTo(ExitStatus.BAD);
    assertThat(out.toString()).contains("LOST: 1; INVENTED").doesNotContain("exactly once");
    assertThat(err.toString().strip()).isEqualTo("semel: Semel lost the events of 1 payments");
    assertThat(Findings.lostEvent().json())
        .contains(
            "\"outbox\":{\"written\":30,\"delivered\":29,\"copies\":0,\"lost\":1,"
                + "\"inventedOrDoubledIds\":0}");
  }

  @Test
  void an_invented_event_is_a_failure() {
    assertThat(report(Findings.inventedEvent())).isEqualTo(ExitStatus.BAD);
    assertThat(out.toString()).contains("two ids: 1").doesNotContain("exactly once");
    assertThat(err.toString().strip())
        .isEqualTo("semel: Semel invented events, or sent them under two ids: 1");
  }

  @Test
  void a_demo_that_killed_no_relay_showed_nothing() {
    assertThat(report(Findings.good(0))).isEqualTo(ExitStatus.BAD);
    assertThat(err.toString()).contains("no relay was killed");
  }

  private int report(DemoResult result) {
    Context context =
        new Context(
            Map.of(),
            new PrintWriter(out, true),
            OutputStream.nullOutputStream(),
            new PrintWriter(err, true),
            new Mask(),
            null);
    return new DemoCommand(context).report(result);
  }
}
