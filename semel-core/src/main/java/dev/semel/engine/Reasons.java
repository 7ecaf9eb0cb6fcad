package dev.semel.engine;

/** Why messages are parked: the texts of the column {@code reason}. */
final class Reasons {

  static final String CONFLICT = "conflict: same id, other bytes";
  static final String TOO_OLD = "too old: its key may have been dropped";
  static final String COPY_OF_PARKED = "copy of a parked message";
  static final String TRANSACTION_ENDED =
      "handler ended the transaction (sent COMMIT or ROLLBACK as a statement)";
  static final String CONSTRAINTS_FORCED =
      "handler forced deferred constraints (SET CONSTRAINTS ALL IMMEDIATE)";

  static final String ERROR_SWALLOWED =
      "handler swallowed an SQL error: the transaction is aborted and can store nothing";

  private Reasons() {}
}
