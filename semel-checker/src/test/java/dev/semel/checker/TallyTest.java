package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TallyTest {
  @Test
  void countsRows() throws SQLException {
    Rows rows = new Rows(1, "a", "b", "a");

    Tally tally = Tally.read(rows.connection(), "select k from effects");

    assertThat(tally.count("a")).isEqualTo(2);
    assertThat(tally.count("b")).isEqualTo(1);
    assertThat(tally.count("c")).isZero();
    assertThat(tally.keys()).containsExactly("a", "b");
    assertThat(tally.repeated()).containsExactly("a");
    assertThat(tally.total()).isEqualTo(3);
    assertThat(tally).hasToString("{a=2, b=1}");
  }

  @Test
  void closesItsOwnButNotTheConnection() throws SQLException {
    Rows rows = new Rows(1, "a");
    Tally.read(rows.connection(), "select k from effects");
    assertThat(rows.calls())
        .contains("ResultSet.close", "PreparedStatement.close")
        .doesNotContain("Connection.close");
  }

  @Test
  void refusesRowsThatItWouldMisread() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tally.read(new Rows(2, "a").connection(), "select k, n from effects"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tally.read(new Rows(1, "a", null).connection(), "select k from parked"));
  }

  @Test
  void countsWhatTheCallerHolds() {
    assertThat(Tally.of(List.of("a", "a")).count("a")).isEqualTo(2);
    assertThat(Tally.none().total()).isZero();
    assertThat(Tally.none().keys()).isEmpty();
  }
}
