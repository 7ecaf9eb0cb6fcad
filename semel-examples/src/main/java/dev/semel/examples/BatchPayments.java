package dev.semel.examples;

import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.Source;
import dev.semel.Tx;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The whole batch in one call and one JDBC batch. */
public final class BatchPayments {

  private BatchPayments() {}

  // tag::batch
  static Consumer consumer(Source source) {
    return Consumer.named("payments")
        .source(source)
        .batchHandler(BatchPayments::book)
        .batch(200)
        .build();
  }

  /** No two of the messages have the same key, and none has been applied before. */
  static void book(List<Message> messages, Tx tx) throws SQLException {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("INSERT INTO ledger (entry) VALUES (?::jsonb)")) {
      for (Message message : messages) {
        insert.setString(1, message.text());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
  // end::batch
}
