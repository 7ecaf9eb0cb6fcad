package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One row of many makes the client throw while it is published, after it has counted it. Right:
 * that row is parked with its error, every row that is marked has arrived, once, and the others are
 * not booked on each other.
 */
class F40_PublishThrowsTest extends OutboxScene {

  F40_PublishThrowsTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void confirmsAreNotBookedOnOtherRows() throws Exception {
    List<String> bodies = bodies("row", 60);
    for (int i = 0; i < 60; i++) {
      if (i == 20 || i == 40) {
        // A name of 300 characters inside a header, which the database takes and the client does
        // not.
        String headers = "{\"h\": {\"" + "h".repeat(300) + "\": 1}}";
        database.executeAsOwner(
            "INSERT INTO semel.outbox (routing_key, headers, body) VALUES ('"
                + out
                + "', '"
                + headers
                + "', 'bad')",
            "INSERT INTO semel.outbox (routing_key, body) VALUES ('"
                + out
                + "-nowhere', 'returned')");
      }
      add(toOut(bodies.get(i)));
    }
    startRelay();
    awaitRow("state = 'parked' AND body = 'bad'");
    Await.until("the others have left", DEADLINE, () -> pending() == 4);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.outbox WHERE state = 'parked' AND last_error LIKE 'the client cannot%'"))
        .isEqualTo(2);
    assertThat(database.queryLong("SELECT count(*) FROM semel.outbox WHERE body = 'returned'"))
        .isEqualTo(2);
    assertOnceEach(bodies);
  }
}
