package dev.semel.engine;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The one place that judges an SQLSTATE. Whose fault an error is, is asked of the database (see
 * {@link Database#works}); the code only says whether the same message deserves another run at
 * once.
 */
final class SqlErrors {

  private static final Set<String> PASSING = Set.of("40001", "40P01", "55P03", "53200");
  static final String LOCK_NOT_AVAILABLE = "55P03";
  static final String IN_FAILED_TRANSACTION = "25P02";
  static final String OUT_OF_LOCKS = "53200";

  private SqlErrors() {}

  /** The first SQL error in the chain of causes. */
  static @Nullable SQLException in(@Nullable Throwable thrown) {
    int depth = 0;
    for (Throwable t = thrown; t != null && depth < 50; t = t.getCause(), depth++) {
      if (t instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }

  static @Nullable String stateOf(Throwable thrown) {
    SQLException sql = in(thrown);
    return sql == null ? null : sql.getSQLState();
  }

  /** Serialization failure, deadlock, lock not available, out of locks, session ended. */
  static boolean passing(@Nullable String state) {
    return state != null && (PASSING.contains(state) || ofConnection(state));
  }

  /** The session or the server is gone, or going. */
  static boolean ofConnection(@Nullable String state) {
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }

  /** Refused by the guard: the handler sent COMMIT, or SET CONSTRAINTS, as text. */
  static boolean ofGuard(@Nullable Throwable thrown) {
    return thrown != null && ProcessedMessages.GUARD_STATE.equals(stateOf(thrown));
  }
}
