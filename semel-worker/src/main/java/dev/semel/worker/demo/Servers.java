package dev.semel.worker.demo;

import org.jspecify.annotations.Nullable;

/**
 * Where it is played.
 *
 * @param amqpUri the broker with credentials; null for an embedded one
 * @param brokerPort the port of the embedded broker; 0 for a free one
 * @param database the database; null for an embedded one
 * @param databasePort the port of the embedded PostgreSQL; 0 for a free one
 */
public record Servers(
    @Nullable String amqpUri, int brokerPort, @Nullable Login database, int databasePort) {

  /**
   * A database and who logs in there.
   *
   * @param url the JDBC URL
   * @param user the user; null if the URL or the driver knows
   * @param password the password; null if the URL knows, or none is needed
   */
  public record Login(String url, @Nullable String user, @Nullable String password) {

    /** Never the URL, which may hold the password. */
    @Override
    public String toString() {
      return "Login[" + user + "]";
    }
  }

  /** Never the URI, which holds the password. */
  @Override
  public String toString() {
    return "Servers[brokerPort=" + brokerPort + ", databasePort=" + databasePort + "]";
  }
}
