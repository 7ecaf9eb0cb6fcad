package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TcpProxy;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The line to the database breaks at a COMMIT while the channel to the broker stays healthy, so
 * that nobody redelivers. Right: every delivery is settled from memory within 10 s after the line
 * is back, without a second effect and without a redelivery.
 */
class UnknownCommitTest extends WorkerTest {

  private static final int RUNS = 20;

  /** The heart commits now and then, and may catch an order that is meant for the lane. */
  private static final int MOST_RUNS = RUNS + 5;

  private static final Duration SETTLED_WITHIN = Duration.ofSeconds(10);

  UnknownCommitTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  /** What is done to the line while the marked message is in its handler. */
  @FunctionalInterface
  private interface Fault {

    /**
     * Strikes.
     *
     * @param leave lets the handler return, so that the commit comes next
     * @return whether the fault has struck the lane, judged when all is settled
     */
    Struck strike(Leave leave) throws Exception;
  }

  /** Lets the marked handler return. */
  @FunctionalInterface
  private interface Leave {
    void now() throws IOException;
  }

  /** Whether the traces of the marked message are those of the fault. */
  @FunctionalInterface
  private interface Struck {
    boolean seen(WorkerLines lines, String marked);
  }

  @Test
  void theAnswerToCommitIsLost() throws Exception {
    try (TcpProxy proxy = TcpProxy.postgres(database)) {
      strikeAll(
          Seed.random("theAnswerToCommitIsLost"),
          proxy,
          leave -> {
            CompletableFuture<Void> cut = proxy.swallowNextCommitAnswer();
            leave.now();
            cut.get(10, TimeUnit.SECONDS);
            // Committed, and asked again from memory.
            return (lines, marked) ->
                lines.of("ENTERED", marked).size() == 1 && settledAs("Duplicate", lines, marked);
          });
    }
  }

  @Test
  void theCommitIsLost() throws Exception {
    try (TcpProxy proxy = TcpProxy.postgres(database)) {
      strikeAll(
          Seed.random("theCommitIsLost"),
          proxy,
          leave -> {
            CompletableFuture<Void> cut = proxy.swallowNextCommit();
            leave.now();
            cut.get(10, TimeUnit.SECONDS);
            return (lines, marked) ->
                lines.of("ENTERED", marked).size() == 2 && settledAs("Applied", lines, marked);
          });
    }
  }

  @Test
  void theLineGoesSilent() throws Exception {
    Random random = Seed.random("theLineGoesSilent");
    try (TcpProxy proxy = TcpProxy.postgres(database)) {
      strikeAll(random, proxy, leave -> silence(proxy, leave, random));
    }
  }

  /** Before the handler returns, or with the COMMIT on its way; then cut, or not. */
  private static Struck silence(TcpProxy proxy, Leave leave, Random random) throws Exception {
    boolean atCommit = random.nextBoolean();
    boolean cut = random.nextBoolean();
    if (atCommit) {
      long commits = proxy.commitsSeen();
      proxy.delay(Duration.ofMillis(200));
      leave.now();
      Await.until("a COMMIT", SETTLED_WITHIN, () -> proxy.commitsSeen() > commits);
      proxy.silence();
      proxy.delay(Duration.ZERO);
    } else {
      proxy.silence();
      leave.now();
    }
    Await.until("somebody to speak into the silence", SETTLED_WITHIN, proxy::isHolding);
    if (cut) {
      int open = proxy.cutAll();
      assertThat(open).isPositive();
      Await.until(
          "somebody to connect in the silence",
          SETTLED_WITHIN,
          () -> proxy.connectionCount() > 0 && proxy.isHolding());
    }
    proxy.resume();
    int entries = cut ? 2 : 1;
    return (lines, marked) ->
        lines.of("ENTERED", marked).size() == entries && settledAs("Applied", lines, marked);
  }

  private static boolean settledAs(String outcome, WorkerLines lines, String marked) {
    return lines.of("SETTLED", marked).stream().allMatch(l -> l.contains(" " + outcome));
  }

  private void strikeAll(Random random, TcpProxy proxy, Fault fault) throws Exception {
    WorkerProcess worker =
        start(worker().jdbcUrl(database.jdbcUrl(proxy.port())).lanes(1).prefetch(20).batch(8));
    int struck = 0;
    int published = 0;
    for (int run = 0; struck < RUNS && run < MOST_RUNS; run++) {
      List<String> keys = keys("r" + run, 1 + random.nextInt(12));
      String marked = keys.get(random.nextInt(keys.size()));
      String gate = "leave-" + run;
      publishPrepared(
          keys.stream()
              .map(k -> publication(k, k.equals(marked) ? "wait " + gate : "ok"))
              .toList());
      published += keys.size();
      worker.awaitLine("^ENTERED " + marked + "$");
      Struck trace = fault.strike(() -> Files.createFile(history.resolve(gate)));
      awaitAllSettled(worker, keys);
      struck += trace.seen(lines(worker), marked) ? 1 : 0;
    }
    WorkerLines lines = lines(worker);
    assertThat(broker.connectionCount(vhost.name())).isEqualTo(1);
    assertThat(broker.consumerCount(vhost.name(), queue)).isEqualTo(1);

    assertOnceEach();
    assertThat(ledger.parked()).isZero();
    assertThat(struck).isEqualTo(RUNS);
    // The channel was alive throughout: each delivery came once and was settled once.
    assertThat(lines.starting("SETTLED ")).hasSize(published);
    assertThat(lines.all()).noneMatch(l -> l.endsWith(" redelivered"));
    assertThat(lines.starting("AWAY CONSUMER ")).isEmpty();
  }

  private void awaitAllSettled(WorkerProcess worker, List<String> keys) {
    Await.until(
        "all of " + keys + " to be settled",
        SETTLED_WITHIN,
        () -> {
          WorkerLines lines = lines(worker);
          return keys.stream().allMatch(k -> lines.of("SETTLED", k).size() == 1)
              && broker.messageCount(vhost.name(), queue) == 0;
        });
  }

  private static WorkerLines lines(WorkerProcess worker) {
    return new WorkerLines(worker.lines());
  }
}
