package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.RabbitNode;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.TestVhost;
import dev.semel.tests.worker.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Ids that some collation or normalisation takes for equal: {@code A, a, "a ", á, a + accent} and
 * the like, each sent twice. Right: one effect for each; keys are compared byte by byte.
 */
class F21_CollationTest extends WorkerTest {

  private static final List<String> IDS =
      List.of("A", "a", "a ", " a", "\u00e1", "a\u0301", "\u00df", "ss", "SS", "\uff41", "a\u200b");

  F21_CollationTest(TestDatabase database, TestVhost vhost, RabbitNode broker) throws SQLException {
    super(database, vhost, broker);
  }

  @Test
  void nearlyEqualIdsAreDifferentMessages() throws IOException, SQLException {
    publishAll(IDS, "ok");
    publishAll(IDS, "ok");
    WorkerProcess worker = start(worker());
    awaitQueueEmpty();
    worker.stop();
    assertThat(worker.lines().stream().filter(l -> l.contains(" Duplicate"))).hasSize(IDS.size());
    assertOnceEach();
    for (String id : IDS) {
      assertThat(ledger.effects(id)).as("'%s'", id).isEqualTo(1);
    }
    assertThat(ledger.effects()).isEqualTo(IDS.size());
    assertThat(ledger.keys()).isEqualTo(IDS.size());
  }

  /** Not left to the database's default, which a person may have chosen for people's names. */
  @Test
  void theKeysHaveACollationOfTheirOwn() throws SQLException {
    assertThat(
            database.queryLong(
                """
                SELECT count(*) FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
                 WHERE t.relnamespace = 'semel'::regnamespace AND a.attname IN ('consumer', 'message_id')
                   AND t.relkind = 'r' AND a.attcollation NOT IN (0, '"C"'::regcollation)
                """))
        .isZero();
  }
}
