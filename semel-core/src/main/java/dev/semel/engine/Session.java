package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A connection that a lane (or one call of the inbox) holds, and the state in which it came, which
 * is given back with it. Ended by {@link #close} or, when its state is not known, by {@link
 * #discard}.
 */
final class Session implements AutoCloseable {

  /** How much longer than the server's own time-out a silent server is waited for. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final Connection connection;
  private final boolean autoCommit;
  private final int networkTimeout;

  private Session(Connection connection, boolean autoCommit, int networkTimeout) {
    this.connection = connection;
    this.autoCommit = autoCommit;
    this.networkTimeout = networkTimeout;
  }

  static Session open(DataSource dataSource, Duration statementTimeout) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      boolean autoCommit = connection.getAutoCommit();
      int networkTimeout = connection.getNetworkTimeout();
      connection.setNetworkTimeout(
          Runnable::run,
          (int) Math.min(statementTimeout.plus(SILENCE).toMillis(), Integer.MAX_VALUE));
      connection.setAutoCommit(false);
      // Whoever had it before may have left a transaction open, at the very level that we ask for.
      connection.rollback();
      return new Session(connection, autoCommit, networkTimeout);
    } catch (SQLException | RuntimeException e) {
      try {
        connection.close();
      } catch (SQLException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  /** Rolls back; false if the session is of no more use. */
  boolean rollback(Throwable cause) {
    try {
      connection.rollback();
      return true;
    } catch (SQLException | RuntimeException e) {
      if (e != cause) {
        cause.addSuppressed(e);
      }
      return false;
    }
  }

  /** Cuts the line, so that whatever its transaction was about to do cannot be done any more. */
  void discard() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      // It is being thrown away; the pool sees a dead connection below.
    }
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      // As above.
    }
  }

  @Override
  public void close() {
    try {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
      connection.close();
    } catch (SQLException | RuntimeException e) {
      discard();
    }
  }
}
