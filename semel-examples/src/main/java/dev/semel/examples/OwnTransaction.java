package dev.semel.examples;

import dev.semel.Claim;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** For those who have a transaction of their own: claim first, verify last, commit. */
public final class OwnTransaction {

  private final DataSource database;
  private final Inbox inbox;

  /**
   * Uses the inbox in its own transactions.
   *
   * @param database where the tables of Semel and of the effect are
   * @param inbox for example {@code semel.inbox("payments")}
   */
  public OwnTransaction(DataSource database, Inbox inbox) {
    this.database = database;
    this.inbox = inbox;
  }

  // tag::claim
  /** Acknowledge what is {@link Outcome#settled()}, once this has returned. */
  public Outcome apply(Message message) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try {
        Claim claim = inbox.claim(connection, message);
        if (claim.isNew()) {
          book(connection, message);
          claim.verify();
        }
        connection.commit();
        return claim.outcome();
      } catch (SQLException | RuntimeException e) {
        rollback(connection, e);
        throw e;
      }
    }
  }

  // end::claim

  private static void book(Connection connection, Message message) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO ledger (entry) VALUES (?::jsonb)")) {
      insert.setString(1, message.text());
      insert.executeUpdate();
    }
  }

  /** The first failure is the one that counts. */
  private static void rollback(Connection connection, Exception first) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      first.addSuppressed(e);
    }
  }
}
