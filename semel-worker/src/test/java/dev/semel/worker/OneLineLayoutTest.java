package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class OneLineLayoutTest {

  @Test
  void an_event_is_one_line_without_stack_trace_and_password() {
    LoggingEvent event =
        new LoggingEvent(
            "",
            new LoggerContext().getLogger("dev.semel.lane"),
            Level.WARN,
            "no connection\n  to amqp://me:secret@host/",
            new SQLException("at jdbc:postgresql://h/d?password=secret&user=me\nDetail: x"),
            null);

    String line = new OneLineLayout().doLayout(event);

    assertThat(line.strip().lines()).hasSize(1);
    assertThat(line)
        .contains("WARN lane: no connection; to amqp://me:***@host/ (java.sql.SQLException: at ")
        .contains("password=***&user=me; Detail: x)")
        .doesNotContain("secret", "\tat ");
  }
}
