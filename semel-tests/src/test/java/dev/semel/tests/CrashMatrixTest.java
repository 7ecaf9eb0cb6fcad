package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.checker.Verdict;
import dev.semel.spi.Step;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import dev.semel.tests.worker.WorkerSpec;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every step of the protocol × {an Error, the end of the database session, the end of the JVM}.
 * Right: one effect for each message, nothing lost, nothing left in the queue; and the fault has
 * struck.
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
        .flatMap(step -> Stream.of("error", "terminate", "halt").map(f -> Arguments.of(step, f)));
  }

  @ParameterizedTest(name = "{0} × {1}")
  @MethodSource("cells")
  void exactlyOneEffect(Step step, String fault) throws IOException, SQLException {
    WorkerSpec calm = worker().lanes(1).batch(8);
    // At the second time: by then the lane has a session that can be ended.
    WorkerProcess struck =
        start(
            calm.fault(step, fault, 2)
                .superuser(
                    postgres.jdbcUrl(database.name()),
                    postgres.superuserName(),
                    postgres.superuserPassword()));
    publishAll(keys("first", 8), "ok");
    struck.awaitLine("SETTLED first-0 .*");
    publishAll(keys("second", 8), "ok");
    publish("second-3", "ok");
    struck.awaitLine("STRUCK " + step + ".*");
    if (fault.equals("halt")) {
      assertThat(struck.waitForExit()).isEqualTo(137);
      start(calm);
    }
    awaitQueueEmpty();

    Verdict verdict = assertOnceEach();
    assertThat(ledger.effects()).isEqualTo(16);
    assertThat(verdict.balance().queued()).isZero();
    List<String> strikes = struck.lines().stream().filter(l -> l.startsWith("STRUCK")).toList();
    assertThat(strikes).hasSize(1);
    if (fault.equals("terminate")) {
      assertThat(strikes.get(0)).matches("STRUCK " + step + " [1-9][0-9]*");
    }
  }
}
