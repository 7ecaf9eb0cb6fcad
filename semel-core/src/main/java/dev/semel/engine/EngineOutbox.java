package dev.semel.engine;

import dev.semel.ConfigurationException;
import dev.semel.Order;
import dev.semel.Outbox;
import dev.semel.Outgoing;
import dev.semel.Selection;
import dev.semel.Settings;
import dev.semel.TransactionMisuseException;
import dev.semel.UnavailableException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The outbox for callers with a transaction of their own, and for operators. */
final class EngineOutbox implements Outbox {

  private final Settings settings;
  private final Tables tables;
  private final Timeouts timeouts;
  private final Wakeup wakeup;
  private final SecureRandom random = new SecureRandom();

  EngineOutbox(Settings settings, Tables tables, Wakeup wakeup) {
    this.settings = settings;
    this.tables = tables;
    this.timeouts = Timeouts.of(settings);
    this.wakeup = wakeup;
  }

  @Override
  public List<UUID> add(Connection connection, Collection<Outgoing> messages) {
    List<OutboxMessages.New> rows = new ArrayList<>(messages.size());
    for (Outgoing message : messages) {
      rows.add(OutboxMessages.New.of(Ids.timed(System.currentTimeMillis(), random), message));
    }
    if (rows.isEmpty()) {
      throw new ConfigurationException("add was called without a message");
    }
    try {
      if (connection.getAutoCommit()) {
        throw new TransactionMisuseException(
            "add needs a transaction: the connection is in autocommit mode, so the message would"
                + " leave whatever becomes of the rest; call setAutoCommit(false) first");
      }
      tables.outbox().insert(connection, rows);
    } catch (SQLException e) {
      throw new UnavailableException(
          "the messages could not be stored: " + e.getMessage() + "; roll the transaction back", e);
    }
    return rows.stream().map(OutboxMessages.New::id).toList();
  }

  @Override
  public void committed() {
    wakeup.signal();
  }

  @Override
  public List<Row> list(Selection selection) {
    return SchemaTool.inTransaction(settings, c -> tables.outbox().list(c, selection));
  }

  @Override
  public Optional<Outgoing> message(UUID id) {
    OutboxMessages.Row row =
        SchemaTool.inTransaction(settings, c -> tables.outbox().message(c, id));
    try {
      return row == null ? Optional.empty() : Optional.of(row.message());
    } catch (RuntimeException e) {
      throw new ConfigurationException(
          "message " + id + " of the outbox cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public Optional<Sent> sent(UUID id) {
    return SchemaTool.inTransaction(
        settings, c -> Optional.ofNullable(tables.outbox().sent(c, id)));
  }

  @Override
  public List<Books> books() {
    return SchemaTool.inTransaction(settings, c -> tables.outbox().books(c));
  }

  @Override
  public List<Done> retry(Selection selection, Order order) {
    List<Done> done =
        each(
            selection,
            order,
            "outbox retry",
            Result.RETRIED,
            (c, id) -> tables.outbox().retry(c, id));
    wakeup.signal();
    return done;
  }

  @Override
  public List<Done> discard(Selection selection, Order order) {
    return each(
        selection,
        order,
        "outbox discard",
        Result.DISCARDED,
        (c, id) -> tables.outbox().discard(c, id));
  }

  /** What is done with one row, in its transaction. */
  @FunctionalInterface
  private interface Deed {
    OutboxMessages.@Nullable Touched with(Connection connection, UUID id) throws SQLException;
  }

  private List<Done> each(Selection selection, Order order, String verb, Result result, Deed deed) {
    return SchemaTool.inTransaction(
        settings,
        connection -> {
          List<Row> rows = tables.outbox().list(connection, selection);
          connection.rollback();
          List<Done> done = new ArrayList<>();
          Set<UUID> missing = new LinkedHashSet<>(selection.ids());
          for (Row row : rows) {
            missing.remove(row.id());
            done.add(one(connection, row.id(), order, verb, result, deed));
          }
          missing.forEach(id -> done.add(new Done(id, "", Result.GONE)));
          return done;
        });
  }

  private Done one(
      Connection connection, UUID id, Order order, String verb, Result result, Deed deed)
      throws SQLException {
    tables.processed().begin(connection, timeouts);
    OutboxMessages.Touched touched = deed.with(connection, id);
    if (touched == null || order.dryRun()) {
      connection.rollback();
    } else {
      tables
          .audit()
          .write(
              connection,
              order.who(),
              verb,
              id.toString(),
              order.reason(),
              "destination " + touched.destination() + ", body sha256 " + touched.bodyHash());
      connection.commit();
    }
    return touched == null
        ? new Done(id, "", Result.GONE)
        : new Done(id, touched.destination(), result);
  }

  @Override
  public boolean pause(String destination, boolean paused, Order order) {
    return SchemaTool.inTransaction(
        settings,
        connection -> {
          tables.processed().begin(connection, timeouts);
          boolean changed =
              tables.outbox().pause(connection, destination, paused, order.who(), order.reason());
          if (order.dryRun()) {
            connection.rollback();
          } else if (changed) {
            String verb = paused ? "outbox pause" : "outbox resume";
            tables.audit().write(connection, order.who(), verb, destination, order.reason(), "");
          }
          return changed;
        });
  }
}
