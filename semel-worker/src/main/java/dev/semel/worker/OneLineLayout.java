package dev.semel.worker;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** One line for an event; the stack trace only with SEMEL_DEBUG; never a password. */
final class OneLineLayout extends LayoutBase<ILoggingEvent> {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  private final Mask mask = new Mask();
  private final boolean debug = System.getenv("SEMEL_DEBUG") != null;

  @Override
  public String doLayout(ILoggingEvent event) {
    String logger = event.getLoggerName();
    StringBuilder line = new StringBuilder();
    TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
    line.append(' ').append(event.getLevel()).append(' ');
    line.append(logger.substring(logger.lastIndexOf('.') + 1)).append(": ");
    line.append(event.getFormattedMessage());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.append(" (").append(thrown.getClassName()).append(": ");
      line.append(thrown.getMessage()).append(')');
    }
    String text = line.toString().replaceAll("\\s*\\R\\s*", "; ") + System.lineSeparator();
    return mask.apply(thrown != null && debug ? text + ThrowableProxyUtil.asString(thrown) : text);
  }
}
