package dev.semel.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A fresh, empty database with two roles of its own: the owner, who may do anything in it, and the
 * runtime role, who may connect and nothing else until the owner grants more. Closing drops all
 * three, and cuts sessions that are still there.
 */
public final class TestDatabase implements AutoCloseable {

  private final PostgresAccess access;
  private final String name;
  private final String ownerPassword;
  private final String runtimePassword;

  TestDatabase(PostgresAccess access, String name, String ownerPassword, String runtimePassword) {
    this.access = access;
    this.name = name;
    this.ownerPassword = ownerPassword;
    this.runtimePassword = runtimePassword;
  }

  /**
   * Name of the database, unique on its server, plain lower-case without need of quotes.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * URL without credentials, straight to the server.
   *
   * @return the URL
   */
  public String jdbcUrl() {
    return access.url(name);
  }

  /**
   * URL without credentials to the same database through another loopback port, that of a {@link
   * TcpProxy}.
   *
   * @param port where the proxy listens
   * @return the URL
   */
  public String jdbcUrl(int port) {
    return access.url("127.0.0.1", port, name);
  }

  /**
   * Where the server listens.
   *
   * @return host name or address
   */
  public String host() {
    return access.host();
  }

  /**
   * Where the server listens.
   *
   * @return TCP port
   */
  public int port() {
    return access.port();
  }

  /**
   * The role that owns the database.
   *
   * @return role name, without need of quotes
   */
  public String ownerName() {
    return name + "_owner";
  }

  /**
   * Password of the owner.
   *
   * @return hexadecimal digits
   */
  public String ownerPassword() {
    return ownerPassword;
  }

  /**
   * The role that may only connect.
   *
   * @return role name, without need of quotes
   */
  public String runtimeName() {
    return name + "_run";
  }

  /**
   * Password of the runtime role.
   *
   * @return hexadecimal digits
   */
  public String runtimePassword() {
    return runtimePassword;
  }

  /**
   * Connections of the owner, not pooled.
   *
   * @return a data source that opens a session on every call
   */
  public DataSource ownerDataSource() {
    return PostgresAccess.dataSource(jdbcUrl(), ownerName(), ownerPassword);
  }

  /**
   * Connections of the runtime role, not pooled.
   *
   * @return a data source that opens a session on every call
   */
  public DataSource runtimeDataSource() {
    return PostgresAccess.dataSource(jdbcUrl(), runtimeName(), runtimePassword);
  }

  /**
   * Connections of the runtime role through a {@link TcpProxy}, not pooled.
   *
   * @param port where the proxy listens
   * @return a data source that opens a session on every call
   */
  public DataSource runtimeDataSource(int port) {
    return PostgresAccess.dataSource(jdbcUrl(port), runtimeName(), runtimePassword);
  }

  /**
   * Opens a session of the server's administrator in this database.
   *
   * @return a connection that the caller closes
   * @throws SQLException when the server does not answer or refuses
   */
  public Connection superConnection() throws SQLException {
    return access.connect(name);
  }

  /**
   * Runs statements as the owner, in auto-commit, each as one simple query (which may hold several
   * statements separated by semicolons).
   *
   * @param sql the statements, run in order
   * @throws SQLException when one fails; the rest is not run
   */
  public void executeAsOwner(String... sql) throws SQLException {
    try (Connection connection = ownerDataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : sql) {
        statement.execute(each);
      }
    }
  }

  /**
   * Reads one number as the owner.
   *
   * @param sql a query whose first row and column is the number
   * @return the number, 0 for SQL null
   * @throws SQLException when the query fails or returns no row
   */
  public long queryLong(String sql) throws SQLException {
    try (Connection connection = ownerDataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      if (!rows.next()) {
        throw new SQLException("no row from: " + sql);
      }
      return rows.getLong(1);
    }
  }

  /**
   * The sessions that the runtime role has in this database now.
   *
   * @return one line a session: process id, application, state, last statement
   * @throws SQLException when the server does not answer
   */
  public List<String> runtimeSessions() throws SQLException {
    String sql =
        """
        SELECT pid, application_name, state, wait_event, query
        FROM pg_stat_activity
        WHERE datname = ? AND usename = ?
        ORDER BY backend_start
        """;
    List<String> sessions = new ArrayList<>();
    try (Connection connection = superConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.setString(2, runtimeName());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          sessions.add(
              "pid "
                  + rows.getInt(1)
                  + ", application '"
                  + rows.getString(2)
                  + "', "
                  + rows.getString(3)
                  + ", waits for "
                  + rows.getString(4)
                  + ", last: "
                  + rows.getString(5));
        }
      }
    }
    return sessions;
  }

  /**
   * Ends every session of the runtime role in this database, as an administrator would: the clients
   * see SQLSTATE 57P01.
   *
   * @return how many sessions were told to end
   * @throws SQLException when the server does not answer
   */
  public int terminateRuntimeSessions() throws SQLException {
    String sql =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = ? AND usename = ?";
    try (Connection connection = superConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.setString(2, runtimeName());
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  /**
   * Drops the database and its roles; sessions in it are cut.
   *
   * @throws SQLException when the server does not answer
   */
  @Override
  public void close() throws SQLException {
    access.drop(this);
  }

  @Override
  public String toString() {
    return "TestDatabase[" + jdbcUrl() + "]";
  }
}
