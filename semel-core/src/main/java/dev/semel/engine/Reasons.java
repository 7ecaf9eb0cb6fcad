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

  static final String NO_KEY = "no id";
  static final String RUN_DIED = "was in a run that died with its process";
  static final String LEASE_OVER = "its worker lost it before it ran";
  static final String KILLS = "killed its process each time it ran alone";
  static final String BEHIND = "waits behind a parked message of its ordering key";
  static final String RETURNED = "given back often enough: its worker stopped again";
  static final String IN_FLIGHT = "in flight: another transaction is at work on its key";
  static final String EXPIRED = "expired before it could run";
  static final String FAILED = "handler failed";
  static final String PERMANENT = "permanent failure";

  private Reasons() {}
}
