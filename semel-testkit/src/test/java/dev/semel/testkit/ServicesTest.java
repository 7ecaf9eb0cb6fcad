package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@WithServices
class ServicesTest {

  private static TestDatabase first;

  @BeforeAll
  static void keep(TestDatabase database) {
    first = database;
  }

  @Test
  void givesOneDatabaseAClass(TestDatabase again) throws Exception {
    assertThat(again).isSameAs(first);
    assertThat(again.name()).startsWith("servicestest_");
    assertThat(again.queryLong("SELECT 1")).isEqualTo(1);
  }

  @Test
  void namesTheSessionsThatAreLeft() throws Exception {
    try (Connection leaked = first.runtimeDataSource().getConnection()) {
      assertThat(leaked.isValid(5)).isTrue();
      assertThatThrownBy(() -> Services.requireNoSessions(first, "me", Duration.ZERO))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("left open by me")
          .hasMessageContaining("pid ");
    }
    Services.requireNoSessions(first, "me", Duration.ofSeconds(5));
  }

  @Nested
  class Inside {
    @Test
    void sharesTheDatabaseOfTheOuterClass(TestDatabase database) {
      assertThat(database).isSameAs(first);
    }
  }
}
