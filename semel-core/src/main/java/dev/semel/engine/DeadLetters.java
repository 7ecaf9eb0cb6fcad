package dev.semel.engine;

import dev.semel.BadOutgoingException;
import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.Outgoing;
import dev.semel.engine.OutboxMessages.New;
import dev.semel.engine.ParkedMessages.Released;
import dev.semel.engine.ParkedMessages.Row;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of one consumer become dead. If it names a place for dead letters, the transaction
 * that makes a message dead also promises a copy of it, so there is neither a dead message without
 * its letter nor a letter of a message that lives.
 */
final class DeadLetters {

  private static final String PREFIX = "semel-dead-";

  /** A short string of AMQP, in bytes. */
  private static final int LONGEST_ID = 255;

  /** They would send the copy to more queues than the one that was asked for. */
  private static final Set<String> ROUTING_HEADERS = Set.of("CC", "BCC");

  private final ParkedMessages parked;
  private final OutboxMessages outbox;
  private final Consumer consumer;
  private final @Nullable Outgoing target;

  DeadLetters(Tables tables, Consumer consumer) {
    this.parked = tables.parked();
    this.outbox = tables.outbox();
    this.consumer = consumer;
    this.target = consumer.deadLettersTo();
  }

  /** Inserts rows for locked keys, or for no keys. */
  void insert(Connection connection, List<Row> rows) throws SQLException {
    List<New> letters = new ArrayList<>();
    if (target != null) {
      List<Row> dying = rows.stream().filter(r -> r.parking().dead()).toList();
      Set<Row> known = parked.alreadyDead(connection, consumer.name(), dying);
      for (Row row : dying) {
        if (!known.contains(row)) {
          // The id of the row: made once for a delivery, whatever becomes of the answer to COMMIT.
          letters.add(
              letter(
                  row.entry().parkingId(),
                  row.entry().message,
                  row.parking().reason(),
                  row.parking().attempts(),
                  0,
                  row.error()));
        }
      }
    }
    parked.insert(connection, consumer.name(), rows);
    promise(connection, letters);
  }

  /**
   * Ends the lease of a row.
   *
   * @param message of the row; null if it is to be read if need be
   * @return false if the row is leased to somebody else by now, or gone
   */
  boolean release(
      Connection connection,
      UUID id,
      UUID token,
      Released to,
      @Nullable Throwable error,
      @Nullable Message message)
      throws SQLException {
    if (!parked.release(connection, id, token, to, error)) {
      return false;
    }
    if (target != null && to.dead()) {
      Message dead = message != null ? message : parked.message(connection, id);
      if (dead != null) {
        UUID letter = UUID.randomUUID();
        promise(
            connection,
            List.of(letter(letter, dead, to.reason(), to.attempts(), to.deaths(), error)));
      }
    }
    return true;
  }

  private void promise(Connection connection, List<New> letters) throws SQLException {
    if (!letters.isEmpty()) {
      outbox.insert(connection, letters);
    }
  }

  private New letter(
      UUID id,
      Message message,
      String reason,
      int attempts,
      int deaths,
      @Nullable Throwable error) {
    Map<String, @Nullable Object> why = new LinkedHashMap<>();
    why.put(PREFIX + "reason", Texts.storable(reason));
    why.put(PREFIX + "consumer", consumer.name());
    why.put(PREFIX + "attempts", attempts);
    why.put(PREFIX + "deaths", deaths);
    if (message.timestamp() != null) {
      why.put(PREFIX + "produced-at", message.timestamp());
    }
    if (error != null) {
      why.put(PREFIX + "error-class", error.getClass().getName());
      why.put(PREFIX + "error", Texts.storable(String.valueOf(error.getMessage())));
      String state = SqlErrors.stateOf(error);
      if (state != null) {
        why.put(PREFIX + "sqlstate", state);
      }
    }
    Map<String, @Nullable Object> all = new LinkedHashMap<>(message.headers());
    // Why it died elsewhere before is not why it died here.
    all.keySet().removeIf(name -> ROUTING_HEADERS.contains(name) || name.startsWith(PREFIX));
    all.putAll(why);
    String sentAs = sendable(message.id());
    // What an outbox cannot hold must not keep a message from dying; the whole is in its row.
    try {
      return New.of(
          id, sentAs, copy(message.body(), message.type(), message.contentType()), readable(all));
    } catch (BadOutgoingException | IllegalArgumentException e) {
      why.put(PREFIX + "without", "headers, type and content type: " + e.getMessage());
    }
    try {
      return New.of(id, sentAs, copy(message.body(), null, null), why);
    } catch (BadOutgoingException e) {
      why.put(PREFIX + "without", "all but its id: " + e.getMessage());
      return New.of(id, sentAs, copy(new byte[0], null, null), why);
    }
  }

  /**
   * The id, or null if a message cannot carry it; then the letter leaves under an id of its own.
   */
  private static @Nullable String sendable(@Nullable String id) {
    return id == null
            || id.indexOf('\0') >= 0
            || id.getBytes(StandardCharsets.UTF_8).length > LONGEST_ID
        ? null
        : id;
  }

  private Outgoing copy(byte[] body, @Nullable String type, @Nullable String contentType) {
    return Outgoing.to(target.address(), target.routingKey())
        .destination(target.destination())
        .type(type)
        .contentType(contentType)
        .body(body)
        .build();
  }

  /** A relay must be able to read what is written here. */
  private static Map<String, @Nullable Object> readable(Map<String, @Nullable Object> headers) {
    Outgoing.Builder probe = Outgoing.to("", "");
    OutgoingHeaders.read(OutgoingHeaders.write(headers)).forEach(probe::header);
    probe.build();
    return headers;
  }
}
