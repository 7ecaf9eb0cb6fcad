package dev.semel.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.semel.Semel;
import dev.semel.testkit.Await;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.TestVhost.Publication;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The database of the examples, whose ledger has no unique key, and a queue of payments. */
record Shop(TestDatabase database, TestVhost vhost) {

  private static final Duration SOON = Duration.ofSeconds(30);

  static Shop open(TestDatabase database, TestVhost vhost) throws SQLException {
    var schema = Semel.builder(database.ownerDataSource()).build().schema();
    schema.apply();
    database.executeAsOwner(
        schema.grants(database.runtimeName()),
        "CREATE TABLE IF NOT EXISTS ledger (entry jsonb NOT NULL)",
        "GRANT SELECT, INSERT ON ledger TO " + database.runtimeName());
    return new Shop(database, vhost);
  }

  /** A new queue with so many payments, every second of them sent twice. */
  String queueOfPayments(int payments) throws IOException {
    String queue = vhost.declareQueue(vhost.unique("payments"));
    List<Publication> publications = new ArrayList<>();
    for (int i = 0; i < payments; i++) {
      publications.add(payment(queue, i));
      if (i % 2 == 0) {
        publications.add(payment(queue, i));
      }
    }
    vhost.publishAll(publications);
    return queue;
  }

  private static Publication payment(String queue, int number) {
    BasicProperties properties =
        new BasicProperties.Builder().messageId(queue + "/" + number).deliveryMode(2).build();
    return new Publication("", queue, properties, entry(queue, number).getBytes(UTF_8));
  }

  static String entry(String queue, int number) {
    return "{\"queue\": \"" + queue + "\", \"order\": " + number + "}";
  }

  /** Waits until every payment of the queue is in the ledger once, and the queue is empty. */
  void awaitEachOnce(String queue, int payments) throws SQLException, IOException {
    String rows = "SELECT count(*) FROM ledger WHERE entry->>'queue' = '" + queue + "'";
    Await.until(payments + " rows", SOON, () -> database.queryLong(rows) >= payments);
    Await.until("an empty queue", SOON, () -> vhost.readyCount(queue) == 0);
    String orders =
        "SELECT count(DISTINCT entry->>'order') FROM ledger WHERE entry->>'queue' = '"
            + queue
            + "'";
    Await.until(
        "each payment once",
        Duration.ZERO,
        () -> database.queryLong(rows) == payments && database.queryLong(orders) == payments);
  }

  long rows(String order) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM ledger WHERE entry->>'order' = '" + order + "'");
  }

  long rows(String queue, int number) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM ledger WHERE entry = '" + entry(queue, number) + "'::jsonb");
  }
}
