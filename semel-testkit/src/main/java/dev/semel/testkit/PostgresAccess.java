package dev.semel.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A server and a role on it that may create databases and roles. */
record PostgresAccess(String adminUrl, String user, String password) {

  private static final Pattern URL =
      Pattern.compile("jdbc:postgresql://([^/:?]+)(?::(\\d+))?/([^?]*)(\\?.*)?");
  private static final int DEFAULT_PORT = 5432;
  private static final int LONGEST_PREFIX = 30;

  PostgresAccess {
    if (!URL.matcher(adminUrl).matches()) {
      throw new IllegalArgumentException(
          "expected jdbc:postgresql://host:port/database, got " + adminUrl);
    }
  }

  String host() {
    return part(1);
  }

  int port() {
    String port = parts().group(2);
    return port == null ? DEFAULT_PORT : Integer.parseInt(port);
  }

  String url(String database) {
    return url(host(), port(), database);
  }

  String url(String host, int port, String database) {
    String options = parts().group(4);
    return "jdbc:postgresql://"
        + host
        + ":"
        + port
        + "/"
        + database
        + (options == null ? "" : options);
  }

  String adminDatabase() {
    return part(3);
  }

  Connection connect(String database) throws SQLException {
    return dataSource(url(database), user, password).getConnection();
  }

  static DataSource dataSource(String url, String user, String password) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url);
    dataSource.setUser(user);
    dataSource.setPassword(password);
    return dataSource;
  }

  TestDatabase createDatabase(String prefix) throws SQLException {
    String name = unique(prefix);
    TestDatabase database = new TestDatabase(this, name, Secrets.hex(12), Secrets.hex(12));
    try (Connection connection = connect(adminDatabase());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE ROLE "
              + database.ownerName()
              + " LOGIN PASSWORD '"
              + database.ownerPassword()
              + "'");
      statement.execute(
          "CREATE ROLE "
              + database.runtimeName()
              + " LOGIN PASSWORD '"
              + database.runtimePassword()
              + "'");
      statement.execute("GRANT " + database.ownerName() + " TO " + quoted(user));
      statement.execute("CREATE DATABASE " + name + " OWNER " + database.ownerName());
      statement.execute("REVOKE ALL ON DATABASE " + name + " FROM PUBLIC");
      statement.execute("GRANT CONNECT ON DATABASE " + name + " TO " + database.runtimeName());
    }
    return database;
  }

  void drop(TestDatabase database) throws SQLException {
    try (Connection connection = connect(adminDatabase());
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + database.name() + " WITH (FORCE)");
      statement.execute("DROP ROLE IF EXISTS " + database.ownerName());
      statement.execute("DROP ROLE IF EXISTS " + database.runtimeName());
    }
  }

  /**
   * A name that PostgreSQL and RabbitMQ take without quotes: the prefix made plain, and eight
   * random digits.
   */
  static String unique(String prefix) {
    String plain = prefix.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    String started = plain.isEmpty() || !Character.isLetter(plain.charAt(0)) ? "t" + plain : plain;
    return started.substring(0, Math.min(LONGEST_PREFIX, started.length())) + "_" + Secrets.hex(4);
  }

  private static String quoted(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  private String part(int group) {
    String value = parts().group(group);
    return value == null ? "" : value;
  }

  private Matcher parts() {
    Matcher matcher = URL.matcher(adminUrl);
    if (!matcher.matches()) {
      throw new IllegalStateException("checked on construction");
    }
    return matcher;
  }

  @Override
  public String toString() {
    return "PostgresAccess[" + adminUrl + ", user " + user + "]";
  }
}
