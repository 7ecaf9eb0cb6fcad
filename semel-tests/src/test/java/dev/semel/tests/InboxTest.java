package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Claim;
import dev.semel.HandlerFailedException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.TransactionMisuseException;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Both ways in besides a source: {@code process}, and claim and verify in a caller's transaction.
 */
@WithServices
class InboxTest {

  private final TestDatabase database;
  private final Ledger ledger;
  private Inbox inbox;
  private String k;

  InboxTest(TestDatabase database) throws SQLException {
    this.database = database;
    this.ledger = Ledger.in(database);
  }

  @BeforeEach
  void open() {
    inbox = Semel.builder(database.runtimeDataSource()).build().inbox("inbox-test");
    k = UUID.randomUUID().toString();
  }

  private Message message() {
    return Message.builder().id(k).body("{}").build();
  }

  @Test
  void appliesOnceAndThenTellsDuplicate() throws SQLException {
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @Test
  void aFailedHandlerLeavesNeitherEffectNorKey() throws SQLException {
    assertThatThrownBy(
            () ->
                inbox.process(
                    message(),
                    (m, tx) -> {
                      Ledger.apply(m, tx);
                      throw new IllegalStateException("no money");
                    }))
        .isInstanceOf(HandlerFailedException.class)
        .hasMessageContaining(k)
        .hasRootCauseMessage("no money");
    assertThat(ledger.effects(k)).isZero();
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Applied());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @Test
  void otherBytesUnderOneIdAreParkedAsConflict() throws SQLException {
    inbox.process(message(), Ledger::apply);
    Message other = Message.builder().id(k).body("{\"other\":1}").build();
    assertThat(inbox.process(other, Ledger::apply)).isEqualTo(new Outcome.Conflict());
    assertThat(inbox.process(other, Ledger::apply)).isInstanceOf(Outcome.Parked.class);
    assertThat(ledger.effects(k)).isEqualTo(1);
    assertThat(
            database.queryLong(
                "SELECT sum(copies) FROM semel.parked_messages WHERE message_id = '" + k + "'"))
        .isEqualTo(1);
  }

  @Test
  void aCopyBesideARunningFirstIsInFlight() throws SQLException {
    Outcome[] beside = new Outcome[1];
    inbox.process(
        message(),
        (m, tx) -> {
          beside[0] = inbox.process(message(), Ledger::apply);
          Ledger.apply(m, tx);
        });
    assertThat(beside[0]).isEqualTo(new Outcome.InFlight());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @Test
  void claimAndVerifyInACallersTransaction() throws SQLException {
    for (int round = 0; round < 2; round++) {
      try (Connection c = database.runtimeDataSource().getConnection()) {
        c.setAutoCommit(false);
        Claim claim = inbox.claim(c, message());
        assertThat(claim.isNew()).isEqualTo(round == 0);
        if (claim.isNew()) {
          try (Statement s = c.createStatement()) {
            s.execute("INSERT INTO public.effects (k) VALUES ('" + k + "')");
          }
          claim.verify();
        }
        c.commit();
      }
    }
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @Test
  void claimRefusesAutocommitHigherIsolationAndSavepoints() throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection()) {
      assertThatThrownBy(() -> inbox.claim(c, message()))
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("autocommit");
    }
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThatThrownBy(() -> inbox.claim(c, message()))
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("REPEATABLE READ");
    }
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      c.setSavepoint();
      assertThatThrownBy(() -> inbox.claim(c, message()))
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("savepoint");
    }
  }

  @Test
  void verifyNoticesASwallowedErrorAndALostKey() throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      Claim claim = inbox.claim(c, message());
      try (Statement s = c.createStatement()) {
        s.execute("INSERT INTO nowhere VALUES (1)");
      } catch (SQLException swallowed) {
        // What a careless caller does.
      }
      assertThatThrownBy(claim::verify)
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("swallowed");
    }
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      Claim claim = inbox.claim(c, message());
      c.commit();
      assertThatThrownBy(claim::verify).isInstanceOf(TransactionMisuseException.class);
    }
  }

  @Test
  void aSavepointInsideAHandlerIsFine() throws SQLException {
    Outcome outcome =
        inbox.process(
            message(),
            (m, tx) -> {
              Savepoint before = tx.connection().setSavepoint();
              try (Statement s = tx.connection().createStatement()) {
                s.execute("INSERT INTO nowhere VALUES (1)");
              } catch (SQLException expected) {
                tx.connection().rollback(before);
              }
              Ledger.apply(m, tx);
            });
    assertThat(outcome).isEqualTo(new Outcome.Applied());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  /** A caller who passes over the refusal and commits has not stored a key without its effect. */
  @Test
  void aRefusedClaimLeavesNoKey() throws SQLException {
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThatThrownBy(() -> inbox.claim(c, message()))
          .isInstanceOf(TransactionMisuseException.class);
      c.commit();
    }
    try (Connection c = database.runtimeDataSource().getConnection()) {
      c.setAutoCommit(false);
      c.setSavepoint();
      assertThatThrownBy(() -> inbox.claim(c, message()))
          .isInstanceOf(TransactionMisuseException.class);
      c.commit();
    }
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Applied());
  }

  @Test
  void aDeferredConstraintIsTheHandlersFailure() throws SQLException {
    database.executeAsOwner(
        "CREATE TABLE public.at_commit (i int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        "GRANT INSERT ON public.at_commit TO " + database.runtimeName());
    assertThatThrownBy(
            () ->
                inbox.process(
                    message(),
                    (m, tx) -> {
                      try (Statement s = tx.connection().createStatement()) {
                        s.execute("INSERT INTO public.at_commit VALUES (1), (1)");
                      }
                    }))
        .isInstanceOf(HandlerFailedException.class);
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Applied());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }
}
