package dev.semel.worker;

import java.sql.SQLException;

/** Turns what PostgreSQL or its driver says into one line with a remedy. */
final class DatabaseTrouble {

  private DatabaseTrouble() {}

  static String explain(SQLException e, Database database) {
    String server = "PostgreSQL at " + database.where();
    String user = database.user() == null ? "the user" : "user '" + database.user() + "'";
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      case "28P01" ->
          server
              + " refused the password of "
              + user
              + "; set the right one in SEMEL_JDBC_PASSWORD or with --password-file";
      case "28000" ->
          server + " does not let " + user + " in (" + plain(e) + "); check --user and pg_hba.conf";
      case "08004" ->
          server
              + ": "
              + plain(e)
              + "; give a password in SEMEL_JDBC_PASSWORD or with --password-file";
      case "3D000" -> server + ": " + plain(e) + "; create it, or correct --jdbc";
      case "42501" ->
          server
              + ": "
              + user
              + " lacks a right ("
              + plain(e)
              + "); run this as the owner of the schema, or see 'semel schema print --grants ROLE'";
      case "53300" -> server + ": " + plain(e) + "; close other sessions or raise max_connections";
      default ->
          state.startsWith("08") || state.startsWith("57P")
              ? "cannot reach "
                  + server
                  + " ("
                  + plain(e)
                  + "); is it running, and is --jdbc right?"
              : server + ": " + plain(e) + " (SQLSTATE " + state + ")";
    };
  }

  /** The message in one line, with the cause where the driver hides it there. */
  static String plain(SQLException e) {
    String message = String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
    Throwable cause = e.getCause();
    if (message.startsWith("The connection attempt failed") && cause != null) {
      message =
          cause instanceof java.net.UnknownHostException ? "unknown host" : "" + cause.getMessage();
    } else if (message.startsWith("Connection to ") && message.contains(" refused")) {
      message = "connection refused";
    }
    return message.replaceFirst("^(FATAL|ERROR): ", "").replaceFirst("\\.$", "");
  }
}
