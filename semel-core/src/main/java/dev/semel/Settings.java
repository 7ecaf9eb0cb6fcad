package dev.semel;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one {@link Semel}: immutable and checked. Made by {@link Semel.Builder}; read by
 * the engine.
 *
 * @param dataSource where the database is
 * @param schema see {@link Setting#SCHEMA}
 * @param retention see {@link Setting#RETENTION}
 * @param grace see {@link Setting#GRACE}
 * @param lanes see {@link Setting#LANES}
 * @param batch see {@link Setting#BATCH}
 * @param prefetch see {@link Setting#PREFETCH}; null for the default
 * @param lockTimeout see {@link Setting#LOCK_TIMEOUT}
 * @param statementTimeout see {@link Setting#STATEMENT_TIMEOUT}
 * @param idleTimeout see {@link Setting#IDLE_TIMEOUT}
 * @param senders by the names of their destinations
 * @param relayLease see {@link Setting#RELAY_LEASE}
 * @param relayPoll see {@link Setting#RELAY_POLL}
 * @param keepSent see {@link Setting#KEEP_SENT}
 * @param oneAtATime whether steps are logged and lanes, batch and prefetch are 1
 * @param listener hears what happened
 */
public record Settings(
    DataSource dataSource,
    String schema,
    Duration retention,
    Duration grace,
    int lanes,
    int batch,
    @Nullable Integer prefetch,
    Duration lockTimeout,
    Duration statementTimeout,
    Duration idleTimeout,
    Map<String, Sender> senders,
    Duration relayLease,
    Duration relayPoll,
    Duration keepSent,
    boolean oneAtATime,
    Listener listener) {

  private static final Pattern SCHEMA_NAME = Pattern.compile("[a-z_][a-z0-9_]*");

  /**
   * Checks every value; the one place that does.
   *
   * @param dataSource see the record
   * @param schema see the record
   * @param retention see the record
   * @param grace see the record
   * @param lanes see the record
   * @param batch see the record
   * @param prefetch see the record
   * @param lockTimeout see the record
   * @param statementTimeout see the record
   * @param idleTimeout see the record
   * @param senders see the record
   * @param relayLease see the record
   * @param relayPoll see the record
   * @param keepSent see the record
   * @param oneAtATime see the record
   * @param listener see the record
   * @throws ConfigurationException naming the first setting that cannot work
   */
  public Settings {
    Setting.SCHEMA.checked(schema.length());
    if (!SCHEMA_NAME.matcher(schema).matches()) {
      throw new ConfigurationException(
          "schema is '"
              + schema
              + "', but must be letters a-z, digits and _, beginning with no digit");
    }
    Setting.RETENTION.checked(retention);
    Setting.GRACE.checked(grace);
    Setting.LANES.checked(lanes);
    Setting.BATCH.checked(batch);
    checkPrefetch(prefetch, lanes);
    Setting.LOCK_TIMEOUT.checked(lockTimeout);
    Setting.STATEMENT_TIMEOUT.checked(statementTimeout);
    Setting.IDLE_TIMEOUT.checked(idleTimeout);
    senders = Collections.unmodifiableMap(new LinkedHashMap<>(senders));
    Setting.RELAY_LEASE.checked(relayLease);
    Setting.RELAY_POLL.checked(relayPoll);
    Setting.KEEP_SENT.checked(keepSent);
  }

  static void checkPrefetch(@Nullable Integer prefetch, int lanes) {
    if (prefetch == null) {
      return;
    }
    Setting.PREFETCH.checked(prefetch);
    if (prefetch < lanes) {
      throw new ConfigurationException(
          "prefetch is " + prefetch + ", but must be at least lanes (" + lanes + ")");
    }
  }
}
