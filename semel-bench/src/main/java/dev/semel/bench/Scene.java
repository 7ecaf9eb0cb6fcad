package dev.semel.bench;

import dev.semel.testkit.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.TimeoutException;

/**
 * What a contender finds when it starts.
 *
 * @param flagged whether all messages come flagged as redelivered
 * @param parked rows in {@code semel.parked_messages} of its consumer, none of them due
 */
record Scene(boolean flagged, int parked) {

  /** First deliveries, empty tables. */
  static final Scene PLAIN = new Scene(false, 0);

  void arrange(TestDatabase database) throws SQLException {
    if (parked > 0) {
      ParkedRows.insert(database, parked);
    }
  }

  void arrange(Backlog backlog, int messages)
      throws IOException, TimeoutException, InterruptedException {
    backlog.fill(messages);
    if (flagged) {
      backlog.flag(messages);
    }
  }

  int redeliveredOf(int messages) {
    return flagged ? messages : 0;
  }
}
