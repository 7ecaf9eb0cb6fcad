package dev.semel.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Hears {@code NOTIFY} on a connection, where the driver is PostgreSQL's own. It is called by
 * reflection, since the core sees the JDK alone; with another driver, or behind a pooler that gives
 * each transaction another session, nothing is ever heard, and the poll is all there is.
 */
final class Ear {

  private static final String DRIVER = "org.postgresql.PGConnection";

  private final Connection connection;
  private final @Nullable Object driver;
  private final @Nullable Method notifications;

  private Ear(Connection connection, @Nullable Object driver, @Nullable Method notifications) {
    this.connection = connection;
    this.driver = driver;
    this.notifications = notifications;
  }

  /** Listens from now on, if that can be. */
  static Ear on(Connection connection, String channel) throws SQLException {
    Object driver = null;
    Method notifications = null;
    try {
      Class<?> type = connection.getClass().getClassLoader().loadClass(DRIVER);
      driver = connection.unwrap(type);
      notifications = type.getMethod("getNotifications", int.class);
    } catch (ReflectiveOperationException | SQLException | RuntimeException e) {
      // Another driver, or a pool that does not let it through.
      driver = null;
    }
    Ear ear = new Ear(connection, driver, notifications);
    if (driver != null) {
      ear.execute("LISTEN " + channel);
    }
    return ear;
  }

  private void execute(String sql) throws SQLException {
    try (Statement s = connection.createStatement()) {
      s.execute(sql);
    }
    connection.commit();
  }

  boolean hears() {
    return driver != null && notifications != null;
  }

  /**
   * Waits for a notification.
   *
   * @param millis how long at most; from 1
   * @return whether there was one
   * @throws SQLException if the connection is broken
   */
  boolean heard(int millis) throws SQLException {
    if (driver == null || notifications == null) {
      return false;
    }
    try {
      Object[] all = (Object[]) notifications.invoke(driver, millis);
      return all != null && all.length > 0;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new SQLException("listening failed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new SQLException("listening failed", e);
    }
  }

  /** Before the connection goes back to its pool. */
  void close() throws SQLException {
    if (hears()) {
      execute("UNLISTEN *");
    }
  }
}
