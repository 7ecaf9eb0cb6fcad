package dev.semel.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import picocli.CommandLine.Option;

/** Which database, as whom. */
final class DatabaseOptions {

  private static final String EXPECTED = "jdbc:postgresql://HOST:PORT/DATABASE";

  private final Context context;

  @Option(
      names = "--jdbc",
      paramLabel = "URL",
      description = "The database, jdbc:postgresql://HOST:PORT/DATABASE; or SEMEL_JDBC_URL.")
  private @Nullable String jdbc;

  @Option(names = "--user", paramLabel = "U", description = "Its user; or SEMEL_JDBC_USER.")
  private @Nullable String user;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file that holds the password only; or SEMEL_JDBC_PASSWORD, or the URL.")
  private @Nullable Path passwordFile;

  DatabaseOptions(Context context) {
    this.context = context;
  }

  /** The database of option or environment, after a look whether it can be used. */
  Database reachable() {
    String url = jdbc != null ? jdbc : context.variable("SEMEL_JDBC_URL");
    if (url == null) {
      throw new UserError(
          "no database given; name it with --jdbc " + EXPECTED + " or SEMEL_JDBC_URL");
    }
    Database database = database(url);
    database.check();
    return database;
  }

  /** The database of the option, never of the environment; null without the option. */
  @Nullable Database reachableIfGiven() {
    if (jdbc == null) {
      return null;
    }
    return reachable();
  }

  private Database database(String url) {
    Properties parts = url.startsWith("jdbc:postgresql:") ? Driver.parseURL(url, null) : null;
    if (parts == null) {
      // not repeated: where the password stands in it is anybody's guess
      throw new UserError(
          (jdbc != null ? "--jdbc" : "SEMEL_JDBC_URL")
              + " is not the URL of a PostgreSQL database; expected "
              + EXPECTED);
    }
    String inUrl = parts.getProperty("password");
    context.mask().hide(inUrl);
    String fromVariable = inUrl == null ? context.variable("SEMEL_JDBC_PASSWORD") : null;
    String password = passwordFile != null ? read(passwordFile) : fromVariable;
    context.mask().hide(password);
    String name = user != null ? user : context.variable("SEMEL_JDBC_USER");
    return new Database(
        url,
        parts.getProperty("PGHOST") + ":" + parts.getProperty("PGPORT"),
        name != null ? name : parts.getProperty("user"),
        password);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UserError("cannot read --password-file " + file + "; check its name and rights", e);
    }
  }
}
