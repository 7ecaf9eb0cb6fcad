package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.checker.DoubleEffect;
import dev.semel.checker.LostMessage;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.testkit.WithServices;
import dev.semel.tests.worker.WorkerKind;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The test of the tests: each broken twin runs through the same classes as Semel and is caught by
 * the named assertion, a double effect or a lost message, never by a time-out.
 */
@WithServices
class TwinsTest {

  private final TestDatabase database;
  private final TestVhost vhost;
  private final RabbitNode broker;

  TwinsTest(TestDatabase database, TestVhost vhost, RabbitNode broker) {
    this.database = database;
    this.vhost = vhost;
    this.broker = broker;
  }

  /** Makes a test class, as JUnit would. */
  @FunctionalInterface
  private interface Maker<T extends WorkerTest> {
    T make(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException;
  }

  /** Runs a test of the class. */
  @FunctionalInterface
  private interface Run<T extends WorkerTest> {
    void in(T test) throws Throwable;
  }

  @TestFactory
  Stream<DynamicTest> caught(@TempDir Path directory) {
    return Stream.of(
        twin(
            WorkerKind.TWIN_A_CHECK_THEN_ACT,
            DoubleEffect.class,
            directory,
            F01_CopiesAtTheSameMomentTest::new,
            F01_CopiesAtTheSameMomentTest::twoProcesses),
        twin(
            WorkerKind.TWIN_C_CLASS_23,
            LostMessage.class,
            directory,
            F06_BusinessKeyIsNoDuplicateTest::new,
            test -> {
              test.businessTables();
              try {
                test.atTheStatement();
              } finally {
                test.noBusinessTables();
              }
            }),
        twin(
            WorkerKind.TWIN_B_KEY_FIRST,
            LostMessage.class,
            directory,
            F02_LoserMustNotTrustTheWinnerTest::new,
            F02_LoserMustNotTrustTheWinnerTest::theCopyRunsWhenTheFirstHasFailed),
        twin(
            WorkerKind.TWIN_D_ACK_FIRST,
            LostMessage.class,
            directory,
            KilledWorkersTest::new,
            KilledWorkersTest::killedInsideAHandler),
        twin(
            WorkerKind.TWIN_B_KEY_FIRST,
            LostMessage.class,
            directory,
            KilledWorkersTest::new,
            KilledWorkersTest::killedInsideAHandler));
  }

  private <T extends WorkerTest> DynamicTest twin(
      WorkerKind kind,
      Class<? extends AssertionError> caughtBy,
      Path directory,
      Maker<T> maker,
      Run<T> run) {
    return DynamicTest.dynamicTest(
        kind + " is caught by " + caughtBy.getSimpleName(),
        () -> {
          T test = maker.make(database, vhost, broker);
          test.kind = kind;
          test.begin(java.nio.file.Files.createTempDirectory(directory, "twin"));
          try {
            Throwable thrown = catchThrowable(() -> run.in(test));
            assertThat(thrown).isInstanceOf(caughtBy);
          } finally {
            test.end();
          }
        });
  }
}
