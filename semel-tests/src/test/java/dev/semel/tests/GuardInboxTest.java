package dev.semel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.HandlerFailedException;
import dev.semel.Inbox;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Semel;
import dev.semel.TransactionMisuseException;
import dev.semel.Tx;
import dev.semel.testkit.PostgresServer;
import dev.semel.testkit.TestDatabase;
import dev.semel.testkit.WithServices;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same misdeeds through {@code Inbox.process}. Right: the misuse is thrown, naming what the
 * handler did; nothing is stored, and an honest handler is then applied once.
 */
@WithServices
class GuardInboxTest {

  private final TestDatabase database;
  private final Ledger ledger;
  private Inbox inbox;
  private String k;

  GuardInboxTest(TestDatabase database) throws SQLException {
    this.database = database;
    this.ledger = Ledger.in(database);
    Hostile.in(database);
  }

  @BeforeEach
  void open() {
    inbox = Semel.builder(database.runtimeDataSource()).build().inbox("guard-inbox");
    k = UUID.randomUUID().toString();
  }

  static Stream<Misdeed> ending() {
    return Misdeed.ENDING.stream();
  }

  static Stream<Misdeed> harmless() {
    return Misdeed.HARMLESS.stream();
  }

  @ParameterizedTest
  @MethodSource("ending")
  void whoEndsTheTransactionIsRefused(Misdeed misdeed) throws SQLException {
    refused(inbox, misdeed);
    assertNothingStored();
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("harmless")
  void whoBendsTheSessionIsApplied(Misdeed misdeed) throws SQLException {
    assertThat(inbox.process(message(), (m, tx) -> obey(tx, misdeed)))
        .isEqualTo(new Outcome.Applied());
    assertThat(inbox.process(message(), Ledger::apply)).isEqualTo(new Outcome.Duplicate());
    assertThat(ledger.effects(k)).isEqualTo(1);
    Hostile.assertUntouched(database);
  }

  /** A session that goes back to a pool is its next user's, with the role that it came with. */
  @ParameterizedTest
  @MethodSource("harmless")
  void theNextUserOfASessionIsNotBentToo(Misdeed misdeed) throws SQLException {
    HikariConfig one = new HikariConfig();
    one.setDataSource(database.runtimeDataSource());
    one.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(one)) {
      Inbox pooled = Semel.builder(pool).build().inbox("guard-inbox");
      assertThat(pooled.process(message(), (m, tx) -> obey(tx, misdeed)))
          .isEqualTo(new Outcome.Applied());
      assertThat(pooled.process(message(), Ledger::apply)).isEqualTo(new Outcome.Duplicate());
      try (Connection c = pool.getConnection();
          Statement s = c.createStatement();
          ResultSet r = s.executeQuery("SELECT current_user = session_user")) {
        r.next();
        assertThat(r.getBoolean(1)).as("the role is the session's own").isTrue();
      }
    }
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  @Test
  void aSwallowedErrorIsRefused() throws SQLException {
    Misdeed swallow = new Misdeed("swallow", "swallow INSERT INTO nowhere VALUES (1)", "");
    assertThatThrownBy(() -> inbox.process(message(), (m, tx) -> obey(tx, swallow)))
        .isInstanceOf(TransactionMisuseException.class)
        .hasMessageContaining("swallowed an SQL error");
    assertNothingStored();
  }

  /**
   * A refused call that the handler ignores has done no harm; one that it does not is a failure.
   */
  @Test
  void callsOnTheHandedConnectionAreRefused() throws SQLException {
    for (String call : List.of("commit", "rollback", "setAutoCommit", "close", "abort")) {
      assertThatThrownBy(
              () ->
                  inbox.process(
                      message(),
                      (m, tx) -> {
                        Ledger.apply(m, tx);
                        call(tx.connection(), call);
                      }))
          .isInstanceOf(TransactionMisuseException.class)
          .hasMessageContaining("Connection." + call + " is refused");
      assertNothingStored();
    }
    inbox.process(
        message(),
        (m, tx) -> {
          Ledger.apply(m, tx);
          for (String call : List.of("commit", "rollback", "setAutoCommit", "close", "abort")) {
            assertThatThrownBy(() -> call(tx.connection(), call))
                .isInstanceOf(TransactionMisuseException.class);
          }
        });
    assertThat(ledger.effects(k)).isEqualTo(1);
  }

  /** A statement that outlives its handler must not write into somebody else's transaction. */
  @Test
  void theConnectionIsDeadOnceTheHandlerHasReturned() throws SQLException {
    Connection[] kept = new Connection[1];
    inbox.process(message(), (m, tx) -> kept[0] = tx.connection());
    assertThatThrownBy(() -> kept[0].createStatement())
        .isInstanceOf(TransactionMisuseException.class)
        .hasMessageContaining("after the handler had returned");
  }

  /** On a server that has prepared transactions, where the statement could succeed. */
  @Test
  void aPreparedTransactionIsNotLeftBehind() throws IOException, SQLException {
    try (PostgresServer server =
            PostgresServer.builder().config("max_prepared_transactions", "5").start();
        TestDatabase own = server.createDatabase("prepared")) {
      Ledger there = Ledger.in(own);
      Misdeed prepare =
          Misdeed.ENDING.stream().filter(m -> m.name().equals("prepare")).findAny().orElseThrow();
      refused(Semel.builder(own.runtimeDataSource()).build().inbox("guard-inbox"), prepare);
      assertThat(there.effects() + there.keys() + there.parked()).isZero();
      assertThat(own.queryLong("SELECT count(*) FROM pg_prepared_xacts")).isZero();
    }
  }

  private void refused(Inbox by, Misdeed misdeed) {
    assertThatThrownBy(() -> by.process(message(), (m, tx) -> obey(tx, misdeed)))
        .isInstanceOf(TransactionMisuseException.class)
        .isNotInstanceOf(HandlerFailedException.class)
        .hasMessageStartingWith(misdeed.reason().replace("%", ""));
  }

  private void assertNothingStored() throws SQLException {
    assertThat(ledger.effects(k)).isZero();
    assertThat(database.queryLong("SELECT count(*) FROM public.effects WHERE note = 'late'"))
        .isZero();
    assertThat(
            database.queryLong(
                "SELECT count(*) FROM semel.processed_messages WHERE message_id = '" + k + "'"))
        .isZero();
    assertThat(ledger.parked()).isZero();
  }

  private Message message() {
    return Message.builder().id(k).body("{}").build();
  }

  /** The effect, then the orders, like the handler of the worker processes. */
  private void obey(Tx tx, Misdeed misdeed) throws SQLException {
    Ledger.insert(tx, k, misdeed.name());
    for (String line : misdeed.orders().split("\n")) {
      if (line.equals("raw-commit")) {
        try (Statement s = tx.connection().createStatement()) {
          s.getConnection().commit();
        }
      } else {
        try (Statement s = tx.connection().createStatement()) {
          s.execute(line.substring(line.indexOf(' ') + 1));
        } catch (SQLException e) {
          if (!line.startsWith("swallow ")) {
            throw e;
          }
        }
      }
    }
  }

  private static void call(Connection connection, String name) throws SQLException {
    switch (name) {
      case "commit" -> connection.commit();
      case "rollback" -> connection.rollback();
      case "setAutoCommit" -> connection.setAutoCommit(true);
      case "close" -> connection.close();
      case "abort" -> connection.abort(Runnable::run);
      default -> throw new IllegalArgumentException(name);
    }
  }
}
