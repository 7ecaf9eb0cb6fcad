package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import dev.semel.checker.Verdict;
import dev.semel.spi.Step;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every step of the protocol but those of {@link RelayCrashMatrixTest} × {an Error, the end of the
 * database session, the end of the JVM}. Right: one effect for each message, nothing lost, nothing
 * left in the queue; and the fault has struck.
 */
class CrashMatrixTest extends WorkerTest {

  private final PostgresServer postgres;

  CrashMatrixTest(
      TestDatabase database, TestVhost vhost, RabbitNode broker, PostgresServer postgres)
      throws SQLException {
    super(database, vhost, broker);
    this.postgres = postgres;
  }

  static Stream<Arguments> cells() {
    return Arrays.stream(Step.values())
        .filter(step -> !RelayCrashMatrixTest.STEPS.contains(step))
        .flatMap(step -> Stream.of("error", "terminate", "halt").map(f -> Arguments.of(step, f)));
  }

  /** Those of the careful path are reached once, the others by the first batch already. */
  private static int time(Step step) {
    return switch (step) {
      case STARTED, PARKED, ATTEMPT_COUNTED, ROW_LOCKED -> 1;
      // By then the lane has a session that can be ended.
      default -> 2;
    };
  }

  @ParameterizedTest(name = "{0} × {1}")
  @MethodSource("cells")
  void exactlyOneEffect(Step step, String fault) throws IOException, SQLException {
    strike(worker -> worker.fault(step, fault, time(step)), step, fault);
  }

  /** The steps of a run of suspects, and of a run from the table, each with the end of the JVM. */
  static Stream<Arguments> carefulCells() {
    return Stream.of(Step.STARTED, Step.PARKED, Step.ATTEMPT_COUNTED)
        .flatMap(
            after ->
                Stream.of(
                        Step.LOCKED,
                        Step.CLAIMED,
                        Step.HANDLED,
                        Step.VERIFIED,
                        Step.COMMITTED,
                        Step.SETTLED)
                    .filter(step -> after != Step.ATTEMPT_COUNTED || step != Step.SETTLED)
                    .filter(step -> after != Step.PARKED || step.compareTo(Step.COMMITTED) >= 0)
                    .map(step -> Arguments.of(after, step)));
  }

  @ParameterizedTest(name = "{1} after {0}")
  @MethodSource("carefulCells")
  void exactlyOneEffectOnTheCarefulPath(Step after, Step step) throws IOException, SQLException {
    strike(worker -> worker.faultAfter(after, step, "halt"), step, "halt");
  }

  private void strike(UnaryOperator<WorkerSpec> fault, Step step, String kind)
      throws IOException, SQLException {
    WorkerSpec calm = worker().lanes(1).batch(8).pauseMillis(50);
    WorkerProcess struck =
        start(
            fault
                .apply(calm)
                .superuser(
                    postgres.jdbcUrl(database.name()),
                    postgres.superuserName(),
                    postgres.superuserPassword()));
    publish("first", "ok");
    struck.awaitLine("SETTLED first .*");
    List<TestVhost.Publication> second = new ArrayList<>();
    for (String key : keys("second", 8)) {
      second.add(publication(key, key.endsWith("2") ? "fail-once" : "ok"));
    }
    second.add(publication("second-3", "ok"));
    second.add(4, suspect("second-8", "ok"));
    second.add(7, suspect("second-9", "fail-once"));
    publishPrepared(second);
    struck.awaitLine("STRUCK " + step + ".*");
    if (kind.equals("halt")) {
      assertThat(struck.waitForExit()).isEqualTo(137);
      start(calm);
    }
    awaitQueueEmpty();

    Verdict verdict = assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(11);
    assertThat(verdict.balance().queued()).isZero();
    assertThat(verdict.balance().parked()).isZero();
    List<String> strikes = struck.lines().stream().filter(l -> l.startsWith("STRUCK")).toList();
    assertThat(strikes).hasSize(1);
    if (kind.equals("terminate")) {
      assertThat(strikes.get(0)).matches("STRUCK " + step + " [1-9][0-9]*");
    }
  }

  /** Dead-lettered before, so no clean first delivery. */
  private TestVhost.Publication suspect(String key, String body) {
    return new TestVhost.Publication(
        "",
        queue,
        new AMQP.BasicProperties.Builder()
            .messageId(key)
            .deliveryMode(2)
            .headers(Map.of("x-death", List.of(Map.of("count", 1L, "reason", "rejected"))))
            .build(),
        body.getBytes(StandardCharsets.UTF_8));
  }
}
