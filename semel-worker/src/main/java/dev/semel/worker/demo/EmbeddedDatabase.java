package dev.semel.worker.demo;

import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.TestDatabase;
import dev.semel.worker.demo.Servers.Login;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** An embedded PostgreSQL with fsync on; the workers have a runtime role that owns nothing. */
final class EmbeddedDatabase implements DemoDatabase {

  private final PostgresServer server;
  private final TestDatabase database;
  private final Tables tables = new Tables("semel", "demo");

  private EmbeddedDatabase(PostgresServer server, TestDatabase database) {
    this.server = server;
    this.database = database;
  }

  /** Starts it on the port, or on a free one for 0. */
  static EmbeddedDatabase start(int port) throws IOException, SQLException {
    if (!System.getProperty("os.name").startsWith("Linux")) {
      throw new DemoException(
          "the embedded PostgreSQL runs on Linux only; name a database of yours with --jdbc");
    }
    PostgresServer.Builder builder = PostgresServer.builder();
    if (port != 0) {
      Ports.requireFree(port, "--database-port");
      builder.port(port);
    }
    PostgresServer server = builder.start();
    try {
      TestDatabase database = server.createDatabase("demo");
      EmbeddedDatabase made = new EmbeddedDatabase(server, database);
      made.tables.make(database.ownerDataSource(), database.runtimeName());
      return made;
    } catch (SQLException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  @Override
  public Login workers() {
    return new Login(database.jdbcUrl(), database.runtimeName(), database.runtimePassword());
  }

  @Override
  public String schema() {
    return tables.semel();
  }

  @Override
  public String effects(Contender contender) {
    return tables.effectsOf(contender);
  }

  @Override
  public Connection auditor() throws SQLException {
    return database.ownerDataSource().getConnection();
  }

  @Override
  public void close() {
    server.close();
  }
}
