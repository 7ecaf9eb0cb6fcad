package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Consumer;
import dev.semel.Handler;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.spi.Delivery;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One transaction of the engine, at moments that no timing from outside can hit. */
@WithServices
class BatchRunTest {

  private static final Handler NOTHING = (message, tx) -> {};

  private final TestDatabase database;
  private final Consumer consumer = Consumer.named("batch-run").build();
  private final Settings settings;
  private Connection connection;
  private BatchRun run;
  private String k;

  BatchRunTest(TestDatabase database) throws SQLException {
    this.database = database;
    var schema = Semel.builder(database.ownerDataSource()).build().schema();
    schema.apply();
    database.executeAsOwner(schema.grants(database.runtimeName()));
    this.settings = Semel.builder(database.runtimeDataSource()).settings();
  }

  private static final ParkedMessages.Parking FAILED =
      ParkedMessages.Parking.failed("reason", false, Duration.ofSeconds(1));

  @BeforeEach
  void open() throws SQLException {
    connection = database.runtimeDataSource().getConnection();
    connection.setAutoCommit(false);
    Tables tables = Tables.of("semel");
    Claims claims =
        new Claims(
            tables, consumer, tables.installation().scope(connection, consumer.name()), step -> {});
    connection.rollback();
    run = new BatchRun(tables, claims, consumer, Timeouts.of(settings), new Wakeup(), step -> {});
    k = UUID.randomUUID().toString();
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  /** A delivery whose channel is open or closed. */
  private record Given(Message message, boolean live) implements Delivery {
    @Override
    public boolean redelivered() {
      return false;
    }
  }

  private Entry entry(String body, boolean live) {
    Message message = Message.builder().id(k).body(body).build();
    return Entry.of(consumer, message, new Given(message, live));
  }

  private long rows(String table) throws SQLException {
    return database.queryLong(
        "SELECT count(*) FROM semel." + table + " WHERE message_id = '" + k + "'");
  }

  private List<Outcome> apply(Entry... entries) {
    var result = run.apply(connection, null, List.of(entries), NOTHING, () -> false);
    return ((BatchRun.Result.Committed) result).outcomes();
  }

  /** Somebody applies the key between a failed run and its parking. Right: the bytes are kept. */
  @Test
  void parkingWhatHasBecomeAConflictKeepsIt() throws SQLException {
    apply(entry("first", true));
    var result = run.park(connection, entry("other", true), FAILED, new Exception("failed"));
    assertThat(((BatchRun.Result.Committed) result).outcomes())
        .containsExactly(new Outcome.Conflict());
    assertThat(rows("parked_messages")).isEqualTo(1);
  }

  @Test
  void parkingWhatHasBeenAppliedMeanwhileKeepsNothing() throws SQLException {
    apply(entry("first", true));
    var result = run.park(connection, entry("first", true), FAILED, new Exception("failed"));
    assertThat(((BatchRun.Result.Committed) result).outcomes())
        .containsExactly(new Outcome.Duplicate());
    assertThat(rows("parked_messages")).isZero();
  }

  /**
   * The channel of the first of two copies closes in the batch. Right: the copy is not a duplicate.
   */
  @Test
  void aCopyOfWhatWasNotRunIsNotADuplicate() throws SQLException {
    assertThat(apply(entry("same", false), entry("same", true))).containsExactly(null, null);
    assertThat(rows("processed_messages")).isZero();
    assertThat(apply(entry("same", true), entry("same", true)))
        .containsExactly(new Outcome.Applied(), new Outcome.Duplicate());
  }

  /** Other bytes beside a first that is not committed. Right: no judgement yet. */
  @Test
  void aConflictIsOnlyWithWhatIsCommitted() throws SQLException {
    assertThat(apply(entry("one", false), entry("other", true)))
        .containsExactly(null, new Outcome.InFlight());
    assertThat(rows("parked_messages")).isZero();
    assertThat(apply(entry("one", true))).containsExactly(new Outcome.Applied());
    assertThat(apply(entry("other", true))).containsExactly(new Outcome.Conflict());
    assertThat(rows("parked_messages")).isEqualTo(1);
  }
}
