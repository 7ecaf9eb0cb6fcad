package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.Tx;
import dev.semel.engine.Engine;
import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The slots of keys that take turns, and the age fence that their turns leave behind; through
 * worker and inbox. Right: a key counts in the current and the previous slot, also when the turn
 * comes in the middle of a claim; a message that may be older than the oldest known key is parked,
 * never run.
 */
class SlotsTest extends WorkerTest {

  private static final Instant FENCE = Instant.now().minus(1, ChronoUnit.DAYS);
  private static final Instant OLD = FENCE.minusSeconds(3600);
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private Inbox inbox;

  SlotsTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @BeforeEach
  void firstTurn() throws SQLException {
    inbox = Semel.builder(database.runtimeDataSource()).build().inbox(CONSUMER);
    slots("turn = 0, dropped_before = '-infinity'");
  }

  @Test
  void aMessageOlderThanTheFenceIsParked() throws IOException, SQLException {
    slots("dropped_before = '" + FENCE + "'");
    List<TestVhost.Publication> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(stamped("old-" + i, OLD));
      all.add(stamped("new-" + i, Instant.now()));
      all.add(stamped("unstamped-" + i, null));
    }
    publishPrepared(all);
    WorkerProcess worker = start(worker());
    awaitQueueEmpty();
    assertThat(worker.lines()).noneMatch(l -> l.startsWith("ENTERED old-"));
    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(10);
    assertThat(ledger.keys()).isEqualTo(10);
    assertThat(ledger.parked("too old%")).isEqualTo(5);
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.parked_messages WHERE message_id LIKE 'old-%'"
                    + " AND state = 'dead' AND NOT proved AND body = 'ok'::bytea"))
        .isEqualTo(5);
  }

  @Test
  void theFenceJudgesTheStampAndNothingElse() throws SQLException {
    slots("dropped_before = '" + FENCE + "'");
    // Known before the fence came: a copy, however old.
    assertThat(process("known", Instant.now())).isEqualTo(new Outcome.Applied());
    assertThat(process("known", OLD)).isEqualTo(new Outcome.Duplicate());

    assertThat(process("old", OLD)).isEqualTo(new Outcome.TooOld());
    assertThat(process("old", OLD)).isInstanceOf(Outcome.Parked.class);
    assertThat(process("at-the-fence", FENCE)).isEqualTo(new Outcome.TooOld());
    assertThat(process("within-tolerance", FENCE.plusSeconds(240))).isEqualTo(new Outcome.TooOld());
    assertThat(process("past-tolerance", FENCE.plusSeconds(360))).isEqualTo(new Outcome.Applied());
    assertThat(process("none", null)).isEqualTo(new Outcome.Applied());

    // Absurd stamps are no stamps.
    assertThat(process("epoch", Instant.EPOCH)).isEqualTo(new Outcome.Applied());
    assertThat(process("1999", Instant.parse("1999-12-31T23:59:59Z")))
        .isEqualTo(new Outcome.Applied());
    assertThat(process("2000", Instant.parse("2000-01-01T00:00:00Z")))
        .isEqualTo(new Outcome.TooOld());
    assertThat(process("future", Instant.now().plus(1, ChronoUnit.DAYS)))
        .isEqualTo(new Outcome.Applied());
    assertThat(ledger.effects("old") + ledger.effects("at-the-fence")).isZero();
  }

  /** Whose ids have the time in them; the stamp of the message counts before that of its id. */
  @Test
  void theFenceJudgesTheTimeInAnId() throws SQLException {
    slots("dropped_before = '" + FENCE + "'");
    assertThat(process(uuid7(OLD), null)).isEqualTo(new Outcome.TooOld());
    assertThat(process(uuid7(OLD).toUpperCase(java.util.Locale.ROOT), null))
        .isEqualTo(new Outcome.TooOld());
    assertThat(process(uuid7(Instant.now()), null)).isEqualTo(new Outcome.Applied());
    assertThat(process(ulid(OLD), null)).isEqualTo(new Outcome.TooOld());
    assertThat(process(ulid(Instant.now()), null)).isEqualTo(new Outcome.Applied());
    assertThat(process(ulid(Instant.now()), OLD)).isEqualTo(new Outcome.TooOld());
    assertThat(process(uuid7(OLD), Instant.now())).isEqualTo(new Outcome.Applied());
    // Random ids, and what only looks alike.
    assertThat(process(UUID.randomUUID().toString(), null)).isEqualTo(new Outcome.Applied());
    assertThat(process(uuid7(OLD).replace('-', '_'), null)).isEqualTo(new Outcome.Applied());
    assertThat(process(ulid(OLD) + "0", null)).isEqualTo(new Outcome.Applied());
  }

  /** Current, then previous, then out of view: known for one to two turns. */
  @Test
  void aKeyIsKnownForTwoTurns() throws SQLException {
    assertThat(process("k", null)).isEqualTo(new Outcome.Applied());
    for (int turn = 1; turn <= 7; turn++) {
      slots("turn = " + turn);
      String fresh = "fresh-" + turn;
      assertThat(process(fresh, null)).isEqualTo(new Outcome.Applied());
      assertThat(process(fresh, null)).isEqualTo(new Outcome.Duplicate());
      if (turn == 1) {
        assertThat(process("k", null))
            .as("in the previous slot")
            .isEqualTo(new Outcome.Duplicate());
        assertThat(inbox.process(message("k", null, "other"), Ledger::apply))
            .isEqualTo(new Outcome.Conflict());
      } else {
        assertThat(process("fresh-" + (turn - 1), null)).isEqualTo(new Outcome.Duplicate());
      }
      assertThat(ledger.keys()).as("what people see in turn " + turn).isEqualTo(2);
      // What upkeep will do: the slot out of view is emptied.
      database.executeAsOwner("TRUNCATE semel.processed_messages_" + (turn + 1) % 3);
    }
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(ledger.effects()).isEqualTo(8);
  }

  @ParameterizedTest(name = "from turn {0}")
  @ValueSource(longs = {0, 1, 2})
  void aTurnInTheMiddleOfAClaimOfANewKey(long from) throws SQLException {
    slots("turn = " + from);
    AtomicInteger handled = new AtomicInteger();
    Turning turning = new Turning(1);
    Inbox turned = turning.inbox();
    assertThat(turned.process(message("k", null, "{}"), counted(handled)))
        .isEqualTo(new Outcome.Applied());
    assertThat(turning.turns.get()).isEqualTo(1);
    assertThat(handled.get()).isEqualTo(1);
    assertThat(ledger.effects("k")).isEqualTo(1);
    assertThat(
            database.queryLong("SELECT count(*) FROM semel.processed_messages_" + (from + 1) % 3))
        .as("the key is in the slot that is current now")
        .isEqualTo(1);
    assertThat(process("k", null)).isEqualTo(new Outcome.Duplicate());
    slots("turn = turn + 1");
    assertThat(process("k", null)).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects("k")).isEqualTo(1);
  }

  /** The key goes from current to previous under the claim's hands. */
  @Test
  void aTurnInTheMiddleOfAClaimOfAKnownKey() throws SQLException {
    assertThat(process("k", null)).isEqualTo(new Outcome.Applied());
    AtomicInteger handled = new AtomicInteger();
    Turning turning = new Turning(1);
    assertThat(turning.inbox().process(message("k", null, "{}"), counted(handled)))
        .isEqualTo(new Outcome.Duplicate());
    assertThat(turning.turns.get()).isEqualTo(1);
    assertThat(handled.get()).isZero();
    assertThat(ledger.keys()).isEqualTo(1);
  }

  /** The turn comes while a handler runs: its key is committed into the previous slot. */
  @Test
  void aWorkerAppliesOnceWhileTheSlotsTurn() throws IOException, SQLException {
    List<String> before = keys("before", 40);
    List<String> after = keys("after", 40);
    try (Connection holder = database.superConnection();
        Statement s = holder.createStatement()) {
      s.execute("SELECT pg_advisory_lock(4711)");
      publishAll(before, "ok");
      publish("amid", "sql SELECT pg_advisory_xact_lock(4711)");
      publish("amid", "sql SELECT pg_advisory_xact_lock(4711)");
      publishAll(before, "ok");
      publishAll(after, "ok");
      publishAll(after, "ok");
      WorkerProcess worker = start(worker().lanes(1).batch(1).lockTimeoutMillis(30_000));
      worker.awaitLine("ENTERED amid");
      slots("turn = turn + 1");
      s.execute("SELECT pg_advisory_unlock(4711)");
      awaitQueueEmpty();
      assertThat(worker.lines().stream().filter(l -> l.startsWith("ENTERED"))).hasSize(81);
    }
    assertOnceEach();
    assertThat(ledger.keys()).isEqualTo(81);
    assertThat(database.queryLong("SELECT count(*) FROM semel.processed_messages_0")).isEqualTo(41);
    assertThat(database.queryLong("SELECT count(*) FROM semel.processed_messages_1")).isEqualTo(40);
  }

  /** Turns the slots after the first lock of a process, from another session. */
  private final class Turning implements Probe {

    private final AtomicInteger turns = new AtomicInteger();
    private final int most;

    Turning(int most) {
      this.most = most;
    }

    Inbox inbox() {
      return Engine.of(Semel.builder(database.runtimeDataSource()).settings(), this)
          .inbox(CONSUMER);
    }

    @Override
    public void reached(Step step) {
      if (step == Step.LOCKED && turns.get() < most) {
        turns.incrementAndGet();
        try {
          slots("turn = turn + 1");
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static dev.semel.Handler counted(AtomicInteger handled) {
    return (Message m, Tx tx) -> {
      handled.incrementAndGet();
      Ledger.apply(m, tx);
    };
  }

  private void slots(String set) throws SQLException {
    database.executeAsOwner("UPDATE semel.slots SET " + set);
  }

  private Outcome process(String id, Instant stamp) {
    return inbox.process(message(id, stamp, "{}"), Ledger::apply);
  }

  private static Message message(String id, Instant stamp, String body) {
    return Message.builder().id(id).timestamp(stamp).body(body).build();
  }

  private TestVhost.Publication stamped(String id, Instant stamp) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(id)
            .timestamp(stamp == null ? null : Date.from(stamp))
            .deliveryMode(2)
            .build(),
        "ok".getBytes(StandardCharsets.UTF_8));
  }

  private static String uuid7(Instant at) {
    UUID random = UUID.randomUUID();
    long high = at.toEpochMilli() << 16 | 0x7000 | random.getMostSignificantBits() & 0x0fff;
    return new UUID(high, random.getLeastSignificantBits()).toString();
  }

  private static String ulid(Instant at) {
    StringBuilder text = new StringBuilder();
    for (int shift = 45; shift >= 0; shift -= 5) {
      text.append(CROCKFORD.charAt((int) (at.toEpochMilli() >>> shift & 31)));
    }
    long random = UUID.randomUUID().getLeastSignificantBits();
    for (int i = 0; i < 16; i++) {
      text.append(CROCKFORD.charAt((int) (random >>> i & 31)));
    }
    return text.toString();
  }
}
