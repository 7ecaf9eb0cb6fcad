package dev.semel.engine;

import dev.semel.ConfigurationException;
import dev.semel.Identity;
import dev.semel.Message;
import dev.semel.Order;
import dev.semel.ParkedMessage;
import dev.semel.Parking;
import dev.semel.Selection;
import dev.semel.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with parked messages. To replay or to discard is a claim that ends elsewhere:
 * under the lock of the key, with a look at what is processed.
 */
final class ParkingDesk implements Parking {

  private static final String GENERATION = "\u001fgeneration ";

  private final Settings settings;
  private final Tables tables;
  private final Timeouts timeouts;

  ParkingDesk(Settings settings, Tables tables) {
    this.settings = settings;
    this.tables = tables;
    this.timeouts = Timeouts.of(settings);
  }

  @Override
  public List<ParkedMessage> list(Selection selection) {
    return SchemaTool.inTransaction(settings, c -> tables.parked().list(c, selection));
  }

  @Override
  public Optional<Message> message(UUID id) {
    try {
      return SchemaTool.inTransaction(
          settings, c -> Optional.ofNullable(tables.parked().message(c, id)));
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new ConfigurationException(
          "headers or properties of parked message "
              + id
              + " cannot be read; were they edited by hand? ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  @Override
  public List<Books> books() {
    return SchemaTool.inTransaction(settings, c -> tables.parked().books(c));
  }

  @Override
  public List<Done> replay(Selection selection, Replay how, Order order) {
    // Checked before anything is touched.
    String givenKey =
        how.id() == null
            ? null
            : Identity.messageId().keyOf(Message.builder().id(how.id()).build());
    return each(selection, order, (c, id, row) -> replay(c, id, row, how, givenKey, order));
  }

  @Override
  public List<Done> discard(Selection selection, Order order) {
    return each(selection, order, (c, id, row) -> discard(c, id, row, order));
  }

  /** What is done with one row, in its transaction; in a dry run it only looks. */
  @FunctionalInterface
  private interface Deed {
    Result with(Connection connection, UUID id, ParkedMessages.Open row) throws SQLException;
  }

  private List<Done> each(Selection selection, Order order, Deed deed) {
    return SchemaTool.inTransaction(
        settings,
        connection -> {
          List<ParkedMessage> rows = tables.parked().list(connection, selection);
          connection.rollback();
          List<Done> done = new ArrayList<>();
          Set<UUID> missing = new LinkedHashSet<>(selection.ids());
          for (ParkedMessage row : rows) {
            missing.remove(row.id());
            Result result = one(connection, row.id(), order, deed);
            done.add(new Done(row.id(), row.consumer(), row.messageKey(), result));
          }
          missing.forEach(id -> done.add(new Done(id, "", null, Result.GONE)));
          return done;
        });
  }

  private Result one(Connection connection, UUID id, Order order, Deed deed) throws SQLException {
    tables.processed().begin(connection, timeouts);
    ParkedMessages.Open row = tables.parked().open(connection, id);
    Result result;
    if (row == null) {
      result = tables.parked().exists(connection, id) ? Result.IN_FLIGHT : Result.GONE;
    } else {
      result = deed.with(connection, id, row);
    }
    if (result.done() && !order.dryRun()) {
      connection.commit();
    } else {
      connection.rollback();
    }
    return result;
  }

  private Result replay(
      Connection connection,
      UUID id,
      ParkedMessages.Open row,
      Replay how,
      @Nullable String givenKey,
      Order order)
      throws SQLException {
    if (row.leased()) {
      return Result.IN_FLIGHT;
    }
    String base = row.key() == null ? givenKey : row.key();
    if (base == null) {
      return Result.NEEDS_ID;
    }
    String key = base;
    int generation = row.generation();
    Claim claim = claim(connection, row.consumer(), key);
    while (claim != null && claim.applied()) {
      if (!how.again()) {
        return Result.ALREADY_APPLIED;
      }
      generation++;
      key = generationKey(base, generation);
      claim = claim(connection, row.consumer(), key);
    }
    if (claim == null) {
      return Result.IN_FLIGHT;
    }
    boolean proved =
        how.asNew() || generation > row.generation() || row.proved() && !isConflict(row);
    if (!proved && tables.processed().tooOld(connection, stamp(row, key), Stamps.TOLERANCE)) {
      return Result.NEEDS_AS_NEW;
    }
    if (!key.equals(row.key()) && claim.hasRow(row.fingerprint())) {
      return Result.EQUAL_ROW;
    }
    if (!order.dryRun()) {
      String reason = "replayed: " + order.reason();
      tables.parked().replay(connection, id, key, generation, proved, reason);
      audit(connection, order, "parked replay", id, row, key + (how.asNew() ? ", as new" : ""));
    }
    return Result.REPLAYED;
  }

  /** Then another message has been applied under its key, also if it was parked under its lock. */
  private static boolean isConflict(ParkedMessages.Open row) {
    return row.reason().equals(Reasons.CONFLICT);
  }

  /** The producer's time, as the run will see it. */
  private static @Nullable Instant stamp(ParkedMessages.Open row, String key) {
    try {
      return Stamps.of(Envelope.message(row.properties(), "{}", new byte[0]), key);
    } catch (RuntimeException e) {
      // Edited by hand; the run says so.
      return null;
    }
  }

  /** One key for each generation; what is in front of the id no producer's id begins with. */
  private static String generationKey(String key, int generation) {
    String base = key.startsWith(GENERATION) ? key.substring(key.indexOf(':') + 1) : key;
    return GENERATION + generation + ":" + base;
  }

  private Result discard(Connection connection, UUID id, ParkedMessages.Open row, Order order)
      throws SQLException {
    // One whose lease is over could not be given up otherwise until a worker has run.
    if (row.leased() && !row.leaseOver()) {
      return Result.IN_FLIGHT;
    }
    if (row.key() != null) {
      Claim claim = claim(connection, row.consumer(), row.key());
      if (claim == null) {
        return Result.IN_FLIGHT;
      }
      // Another row of the same key may still be applied under it.
      boolean claims = !claim.applied() && claim.rows().size() == 1;
      if (claims && !order.dryRun() && !process(connection, claim, row)) {
        return Result.IN_FLIGHT;
      }
    }
    if (!order.dryRun()) {
      tables.parked().discard(connection, id);
      audit(connection, order, "parked discard", id, row, row.key());
    }
    return Result.DISCARDED;
  }

  /** Stores the key as processed; false if the slots have taken a turn since it was locked. */
  private boolean process(Connection connection, Claim claim, ParkedMessages.Open row)
      throws SQLException {
    var inserted =
        tables
            .processed()
            .insert(
                connection,
                claim.locked(),
                row.consumer(),
                ProcessedMessages.From.PARKING,
                List.of(new ProcessedMessages.Key(row.key(), row.fingerprint(), null, null)),
                Stamps.TOLERANCE);
    return !inserted.keys().isEmpty() && tables.processed().verify(connection, inserted.xid());
  }

  /**
   * A locked key.
   *
   * @param applied whether it is processed, whatever the bytes
   * @param rows fingerprints of the parked rows that have it
   */
  private record Claim(ProcessedMessages.Locked locked, boolean applied, List<byte[]> rows) {

    boolean hasRow(byte[] fingerprint) {
      return rows.stream().anyMatch(f -> Arrays.equals(f, fingerprint));
    }
  }

  /** Null if somebody else is at work on the key. */
  private @Nullable Claim claim(Connection connection, String consumer, String key)
      throws SQLException {
    long scope = tables.installation().scope(connection, consumer).keys();
    ProcessedMessages.Locked locked = tables.processed().lock(connection, scope, List.of(key));
    if (locked.keys().isEmpty()) {
      return null;
    }
    List<ProcessedMessages.Known> known =
        tables
            .processed()
            .look(connection, locked, consumer, List.of(key))
            .getOrDefault(key, List.of());
    return new Claim(
        locked,
        known.stream().anyMatch(k -> !k.parked()),
        known.stream()
            .filter(ProcessedMessages.Known::parked)
            .map(ProcessedMessages.Known::fingerprint)
            .toList());
  }

  private void audit(
      Connection connection,
      Order order,
      String verb,
      UUID id,
      ParkedMessages.Open row,
      @Nullable String key)
      throws SQLException {
    String detail =
        "consumer "
            + row.consumer()
            + ", key "
            + (key == null ? "(none)" : Texts.storable(key))
            + ", was "
            + row.state()
            + " ("
            + row.reason()
            + "), body sha256 "
            + row.bodyHash();
    tables.audit().write(connection, order.who(), verb, id.toString(), order.reason(), detail);
  }
}
