package dev.semel.worker.demo;

import dev.semel.worker.demo.Servers.Login;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database that was there before, in which two schemas with random names are ours for a while.
 */
final class GivenDatabase implements DemoDatabase {

  private final Login login;
  private final Tables tables;

  private GivenDatabase(Login login, Tables tables) {
    this.login = login;
    this.tables = tables;
  }

  static GivenDatabase prepare(Login login) throws SQLException {
    String name = "semel_demo_" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    GivenDatabase made = new GivenDatabase(login, new Tables(name, name + "_effects"));
    try {
      made.tables.make(dataSource(login), null);
      return made;
    } catch (SQLException | RuntimeException e) {
      try {
        made.close();
      } catch (SQLException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  static DataSource dataSource(Login login) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(login.url());
    if (login.user() != null) {
      source.setUser(login.user());
    }
    if (login.password() != null) {
      source.setPassword(login.password());
    }
    return source;
  }

  @Override
  public Login workers() {
    return login;
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
    return dataSource(login).getConnection();
  }

  @Override
  public void close() throws SQLException {
    tables.drop(dataSource(login));
  }
}
