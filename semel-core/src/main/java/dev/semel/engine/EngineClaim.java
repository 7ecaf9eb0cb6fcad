package dev.semel.engine;

import dev.semel.Claim;
import dev.semel.Outcome;
import dev.semel.TransactionMisuseException;
import java.sql.Connection;
import java.sql.SQLException;

/** A claim in a transaction of the caller. */
final class EngineClaim implements Claim {

  private final ProcessedMessages processed;
  private final Connection connection;
  private final String consumer;
  private final Entry entry;
  private final Claims.Result claim;

  EngineClaim(
      ProcessedMessages processed,
      Connection connection,
      String consumer,
      Entry entry,
      Claims.Result claim) {
    this.processed = processed;
    this.connection = connection;
    this.consumer = consumer;
    this.entry = entry;
    this.claim = claim;
  }

  @Override
  public boolean isNew() {
    return claim.outcomes().get(0) == null;
  }

  @Override
  public Outcome outcome() {
    Outcome outcome = claim.outcomes().get(0);
    return outcome == null ? new Outcome.Applied() : outcome;
  }

  @Override
  public void verify() {
    if (!isNew()) {
      return;
    }
    try {
      if (!processed.stillHeld(connection, claim.turn(), consumer, entry.key, claim.xid())) {
        throw new TransactionMisuseException(
            "the transaction that claimed message "
                + entry.name()
                + " was ended, or rolled back to a savepoint, before verify: roll back");
      }
    } catch (SQLException e) {
      throw new TransactionMisuseException(
          "an SQL error was swallowed after the claim of message "
              + entry.name()
              + ": the transaction can store nothing; roll back",
          e);
    }
  }
}
