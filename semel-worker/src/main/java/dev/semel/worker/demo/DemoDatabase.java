package dev.semel.worker.demo;

import dev.semel.worker.demo.Servers.Login;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The database of the demo, with the tables made. */
interface DemoDatabase extends AutoCloseable {

  /** Who the workers are. */
  Login workers();

  /** The schema of Semel's tables. */
  String schema();

  /** The table of a worker's effects; it has no unique key, so a double effect is two rows. */
  String effects(Contender contender);

  /** A connection that may read everything. */
  Connection auditor() throws SQLException;

  /**
   * Messages that a worker of Semel has taken from the queue to run them again, and has not yet.
   */
  default int waiting() throws SQLException {
    return (int)
        number("select count(*) from " + schema() + ".parked_messages where state = 'waiting'");
  }

  /** Events that have not left yet. */
  default int eventsInside() throws SQLException {
    return (int) number("select count(*) from " + schema() + ".outbox");
  }

  private long number(String query) throws SQLException {
    try (Connection connection = auditor();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  void close() throws SQLException;
}
