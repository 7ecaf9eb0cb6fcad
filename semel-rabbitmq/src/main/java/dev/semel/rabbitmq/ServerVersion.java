package dev.semel.rabbitmq;

import com.rabbitmq.client.Connection;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which RabbitMQ it is, as it says itself when a connection is opened. Another product that speaks
 * AMQP, or one that says nothing, is version 0.0: nothing is known to hold for it.
 */
record ServerVersion(int major, int minor) {

  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\b.*");
  private static final ServerVersion UNKNOWN = new ServerVersion(0, 0);

  static ServerVersion of(Connection connection) {
    @Nullable Map<String, Object> properties = connection.getServerProperties();
    if (properties == null || !"RabbitMQ".equals(String.valueOf(properties.get("product")))) {
      return UNKNOWN;
    }
    return parse(String.valueOf(properties.get("version")));
  }

  static ServerVersion parse(String text) {
    Matcher numbers = NUMBERS.matcher(text);
    return numbers.matches()
        ? new ServerVersion(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)))
        : UNKNOWN;
  }

  boolean atLeast(int wantedMajor, int wantedMinor) {
    return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
