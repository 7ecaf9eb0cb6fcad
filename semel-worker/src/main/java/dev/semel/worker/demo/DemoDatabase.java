package dev.semel.worker.demo;

import dev.semel.worker.demo.Servers.Login;
import java.sql.Connection;
import java.sql.SQLException;

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

  @Override
  void close() throws SQLException;
}
