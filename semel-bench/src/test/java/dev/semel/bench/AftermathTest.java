package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AftermathTest {

  private static final Effects.Count ALL = new Effects.Count(100, 0);
  private static final ParkedRows.Count NONE = new ParkedRows.Count(0, 0);
  private static final Scene FLAGGED = new Scene(true, 0);

  @Test
  void a_run_as_it_should_be_has_no_fault() {
    assertThat(new Aftermath(ALL, 0, NONE, 0).faults(100, Scene.PLAIN)).isEmpty();
    assertThat(new Aftermath(ALL, 0, NONE, 100).faults(100, FLAGGED)).isEmpty();
    assertThat(
            new Aftermath(ALL, 0, new ParkedRows.Count(7, 7), 0).faults(100, new Scene(false, 7)))
        .isEmpty();
  }

  @Test
  void lost_doubled_and_left_messages_are_a_fault() {
    assertThat(new Aftermath(new Effects.Count(97, 1), 4, NONE, 0).faults(100, Scene.PLAIN))
        .containsExactly(
            "2 messages without an effect, 1 with more than one, 4 still in the queue");
  }

  @Test
  void a_flagged_run_must_have_seen_the_flag_and_a_clean_one_must_not() {
    assertThat(new Aftermath(ALL, 0, NONE, 99).faults(100, FLAGGED))
        .containsExactly("99 of the messages were redelivered, but must be 100");
    assertThat(new Aftermath(ALL, 0, NONE, 1).faults(100, Scene.PLAIN))
        .containsExactly("1 of the messages were redelivered, but must be 0");
  }

  @Test
  void a_message_that_was_parked_or_run_from_there_is_a_fault() {
    assertThat(new Aftermath(ALL, 0, new ParkedRows.Count(1, 0), 100).faults(100, FLAGGED))
        .containsExactly("the books tell of 1 parked messages and 0 are there, but both must be 0");
    assertThat(
            new Aftermath(ALL, 0, new ParkedRows.Count(7, 6), 0).faults(100, new Scene(false, 7)))
        .hasSize(1);
  }

  @Test
  void the_line_of_a_contender_is_read_back() {
    Measured measured = new Measured(123_456_789_012L, 200_000);

    assertThat(Measured.parse(measured.line())).isEqualTo(measured);
    assertThatThrownBy(() -> Measured.parse("RESULT nanos=1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RESULT nanos=1");
  }
}
