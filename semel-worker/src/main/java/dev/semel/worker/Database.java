package dev.semel.worker;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that was named on the command line. */
record Database(String url, String where, @Nullable String user, @Nullable String password) {

  private static final int OLDEST = 14;
  private static final int ANSWER_SECONDS = 10;

  DataSource dataSource() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    if (user != null) {
      source.setUser(user);
    }
    if (password != null) {
      source.setPassword(password);
    }
    source.setLoginTimeout(ANSWER_SECONDS);
    source.setApplicationName("semel");
    return source;
  }

  /** Fails with a line that says what to do, if the database cannot be used. */
  void check() {
    try (Connection connection = dataSource().getConnection()) {
      int version = connection.getMetaData().getDatabaseMajorVersion();
      if (version < OLDEST) {
        throw new UserError(
            "PostgreSQL at "
                + where
                + " is version "
                + version
                + ", but Semel needs "
                + OLDEST
                + " or newer; upgrade the server, or name another one with --jdbc");
      }
    } catch (SQLException e) {
      throw new UserError(DatabaseTrouble.explain(e, this), e);
    }
  }

  /** Never the URL, which may hold the password. */
  @Override
  public String toString() {
    return "Database[" + where + "]";
  }
}
