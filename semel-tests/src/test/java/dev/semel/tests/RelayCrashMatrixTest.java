package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import dev.semel.spi.Step;
import dev.semel.testkit.Await;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every step by which a message leaves × {an Error, the end of the database sessions, the end of
 * the JVM}. Right: one effect for each message, and what it sends has left, under one id, in no
 * more than one copy more; nothing is left in the outbox; and the fault has struck.
 */
class RelayCrashMatrixTest extends WorkerTest {

  static final Set<Step> STEPS =
      EnumSet.of(Step.PROMISED, Step.LEASED, Step.READ, Step.SENT, Step.CONFIRMED, Step.MARKED);

  private static final int MESSAGES = 10;

  private final PostgresServer postgres;
  private String out;

  RelayCrashMatrixTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  @BeforeEach
  void openOut() throws IOException {
    out = vhost.declareQueue(vhost.unique("out"));
  }

  @AfterEach
  void closeOut() throws IOException {
    vhost.deleteQueue(out);
  }

  static Stream<Arguments> cells() {
    return STEPS.stream()
        .flatMap(step -> Stream.of("error", "terminate", "halt").map(f -> Arguments.of(step, f)));
  }

  @ParameterizedTest(name = "{0} × {1}")
  @MethodSource("cells")
  void leavesAtLeastOnce(Step step, String fault) throws IOException, SQLException {
    WorkerSpec calm = worker().lanes(1).batch(4).pauseMillis(50).sendsTo(out).relay();
    // By the second the lane has a session that can be ended.
    int time = step == Step.PROMISED ? 2 : 1;
    WorkerProcess struck =
        launch(
            calm.fault(step, fault, time)
                .superuser(
                    postgres.jdbcUrl(database.name()),
                    postgres.superuserName(),
                    postgres.superuserPassword()));
    List<String> keys = keys("k", MESSAGES);
    publishAll(keys, "ok");
    struck.awaitLine("STRUCK " + step + ".*");
    if (fault.equals("halt")) {
      assertThat(struck.waitForExit()).isEqualTo(137);
      start(calm);
    }
    awaitQueueEmpty();
    Await.until(
        "the outbox is empty",
        DEADLINE,
        () -> database.queryLong("SELECT count(*) FROM semel.outbox") == 0);

    assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(MESSAGES);
    List<GetResponse> arrived = vhost.drain(out);
    Map<String, List<String>> ids =
        arrived.stream()
            .collect(
                Collectors.groupingBy(
                    m -> new String(m.getBody(), StandardCharsets.UTF_8),
                    Collectors.mapping(m -> m.getProps().getMessageId(), Collectors.toList())));
    assertThat(ids).containsOnlyKeys(keys);
    assertThat(ids.values())
        .allMatch(copies -> copies.size() <= 2 && Set.copyOf(copies).size() == 1);
    List<String> strikes = struck.lines().stream().filter(l -> l.startsWith("STRUCK")).toList();
    assertThat(strikes).hasSize(1);
    if (fault.equals("terminate")) {
      assertThat(strikes.get(0)).matches("STRUCK " + step + " [1-9][0-9]*");
    }
  }
}
