package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import dev.semel.BadIdentityException;
import dev.semel.ParkedMessage;
import dev.semel.Parking.Replay;
import dev.semel.Parking.Result;
import dev.semel.Selection;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages without an id. Right: each is a row of its own; it runs once it is given an id, once
 * under that id, and what comes with that id later is its copy.
 */
class ParkingWithoutIdTest extends ParkingScene {

  ParkingWithoutIdTest(TestDatabase database, TestVhost vhost, RabbitNode broker)
      throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void runsOnceItIsGivenAnId() throws Exception {
    publishWithoutId("x", null);
    publishWithoutId("x", null);
    runAll();
    List<ParkedMessage> rows = parking.list(Selection.any());
    assertThat(rows).hasSize(2).allMatch(r -> r.messageKey() == null && r.state().equals("dead"));
    assertThat(runs).isEmpty();
    ParkedMessage one = rows.get(0);
    ParkedMessage two = rows.get(1);

    List<String> before = allRows();
    assertThat(replay(one)).isEqualTo(Result.NEEDS_ID);
    assertThat(replay(one, AGAIN)).isEqualTo(Result.NEEDS_ID);
    for (String bad : List.of("", " ", "a\0b", "\uFFFD")) {
      assertThatThrownBy(() -> replay(one, new Replay(false, false, bad)))
          .isInstanceOf(BadIdentityException.class);
    }
    assertThat(allRows()).isEqualTo(before);

    assertThat(replay(one, withId("given"))).isEqualTo(Result.REPLAYED);
    // Before it has run, and after.
    assertThat(replay(two, withId("given"))).isEqualTo(Result.EQUAL_ROW);
    runAll();
    assertThat(runs).hasSize(1);
    assertThat(runs.get(0).id()).as("byte for byte what came").isNull();
    assertThat(ledger.effects()).isEqualTo(1);
    assertThat(replay(two, withId("given"))).isEqualTo(Result.ALREADY_APPLIED);
    assertBooks(2, 1, 0, 0, 0, 1);

    publish("given", "x");
    publish("given", "y");
    runAll();
    assertThat(runs).hasSize(1);
    assertThat(ledger.effects()).isEqualTo(1);
    assertBooks(2, 1, 0, 0, 0, 1);

    assertThat(replay(two, withId("other"))).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects()).isEqualTo(2);
    assertThat(textRows("SELECT message_id FROM semel.processed_messages ORDER BY 1"))
        .containsExactly("given", "other");
    assertBooks(2, 2, 0, 0, 0, 0);
    assertThat(audit()).hasSize(2).allMatch(l -> l.contains("was dead (no id: "));
    assertThat(audit().get(0)).contains("key given, ");
  }

  /** The fence judges by the time of the message, or by that in the id that it is given. */
  @Test
  void anIdDoesNotMakeItYoung() throws Exception {
    Instant old = Instant.now().minus(2, ChronoUnit.DAYS);
    publishWithoutId("stamped", old);
    runAll();
    dropKeys();
    ParkedMessage row = awaitRow("true");
    assertThat(replay(row, withId("given"))).isEqualTo(Result.NEEDS_AS_NEW);
    runAll();
    assertThat(runs).isEmpty();
    assertThat(replay(row, new Replay(false, true, "given"))).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects()).isEqualTo(1);
    assertBooks(1, 1, 0, 0, 0, 0);
  }

  @Test
  void givenUpItClaimsNoKey() throws Exception {
    publishWithoutId("x", null);
    publishWithoutId("x", null);
    runAll();
    List<ParkedMessage> rows = parking.list(Selection.any());
    assertThat(discard(rows.get(0))).isEqualTo(Result.DISCARDED);
    assertThat(ledger.keys()).isZero();
    assertThat(replay(rows.get(1), withId("given"))).isEqualTo(Result.REPLAYED);
    runAll();
    assertThat(ledger.effects()).isEqualTo(1);
    assertBooks(2, 1, 0, 1, 0, 0);
    assertThat(audit().get(0)).contains("key (none), ", sha256("x".getBytes()));
  }

  private static Replay withId(String id) {
    return new Replay(false, false, id);
  }

  private void publishWithoutId(String body, Instant at) throws Exception {
    publishPrepared(
        List.of(
            new TestVhost.Publication(
                "",
                queue,
                new AMQP.BasicProperties.Builder()
                    .timestamp(at == null ? null : Date.from(at))
                    .deliveryMode(2)
                    .build(),
                body.getBytes(StandardCharsets.UTF_8))));
  }
}
