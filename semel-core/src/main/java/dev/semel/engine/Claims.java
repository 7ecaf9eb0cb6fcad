package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Fingerprint;
import dev.semel.Outcome;
import dev.semel.spi.Probe;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The claim of a batch: lock the keys, insert the new ones, judge the rest. Both halves run in the
 * transaction of the effect; the lock lives until that has ended, so looking and inserting cannot
 * race with anybody.
 */
final class Claims {

  private final ProcessedMessages processed;
  private final ParkedMessages parked;
  private final Consumer consumer;
  private final Scope scope;
  private final Probe probe;

  Claims(Tables tables, Consumer consumer, Scope scope, Probe probe) {
    this.processed = tables.processed();
    this.parked = tables.parked();
    this.consumer = consumer;
    this.scope = scope;
    this.probe = probe;
  }

  /** Seeds of the lock hashes, of the keys and of the ordering keys; and which database it is. */
  record Scope(long keys, long orderingKeys, UUID installation) {}

  UUID installation() {
    return scope.installation();
  }

  /**
   * What a claim found, in the order of the entries. {@code outcomes} has null for an entry that is
   * new. {@code xid} is null if nothing was inserted.
   */
  record Result(
      List<@Nullable Outcome> outcomes, long turn, @Nullable String xid, boolean insideSavepoint) {

    boolean anyNew() {
      return outcomes.contains(null);
    }
  }

  /** In a new transaction of the engine. */
  Result begin(Connection connection, Timeouts timeouts, List<Entry> entries) throws SQLException {
    return claim(connection, timeouts, entries);
  }

  /** In a transaction that the caller began. */
  Result join(Connection connection, List<Entry> entries) throws SQLException {
    return claim(connection, null, entries);
  }

  /**
   * Begins and locks keys and, for an ordered consumer, their ordering keys, for those who insert
   * elsewhere than in a slot.
   *
   * @param entries those with a key are locked
   * @return which entries may be dealt with: those without a key, and those that are ours
   */
  Held lock(Connection connection, Timeouts timeouts, List<Entry> entries) throws SQLException {
    Map<String, Entry> firsts = firsts(entries);
    ProcessedMessages.Locked locked =
        processed.beginAndLock(connection, timeouts, scope.keys(), List.copyOf(firsts.keySet()));
    Set<String> ours = Set.copyOf(heldInOrder(connection, locked, firsts));
    probe.reached(Step.LOCKED);
    return new Held(locked, ours);
  }

  /** Keys of a transaction that has begun. */
  record Held(ProcessedMessages.Locked locked, Set<String> keys) {

    boolean has(Entry entry) {
      return entry.key == null || keys.contains(entry.key);
    }
  }

  /** What is known of a held key; null if nothing is, and the message would be new. */
  @Nullable Outcome known(Connection connection, Held held, Entry entry) throws SQLException {
    List<ProcessedMessages.Known> known =
        processed
            .look(connection, held.locked(), consumer.name(), List.of(entry.key))
            .getOrDefault(entry.key, List.of());
    if (!known.isEmpty()) {
      return judged(known, entry.fingerprint);
    }
    return processed.tooOld(connection, entry.stamp, Stamps.TOLERANCE)
        ? new Outcome.TooOld()
        : null;
  }

  private static Map<String, Entry> firsts(List<Entry> entries) {
    Map<String, Entry> firsts = new LinkedHashMap<>();
    entries.stream().filter(e -> e.key != null).forEach(e -> firsts.putIfAbsent(e.key, e));
    return firsts;
  }

  private Result claim(Connection connection, @Nullable Timeouts timeouts, List<Entry> entries)
      throws SQLException {
    Map<String, Entry> firsts = firsts(entries);
    ProcessedMessages.From from =
        entries.get(0).lease != null
            ? ProcessedMessages.From.PARKING
            : consumer.orderingKey() == null
                ? ProcessedMessages.From.SOURCE
                : ProcessedMessages.From.ORDERED_SOURCE;
    List<String> asked = List.copyOf(firsts.keySet());

    while (true) {
      ProcessedMessages.Locked locked =
          timeouts == null
              ? processed.lock(connection, scope.keys(), asked)
              : processed.beginAndLock(connection, timeouts, scope.keys(), asked);
      List<String> ours = heldInOrder(connection, locked, firsts);
      if (timeouts != null) {
        probe.reached(Step.LOCKED);
      }
      List<ProcessedMessages.Key> keys =
          ours.stream()
              .map(firsts::get)
              .map(e -> new ProcessedMessages.Key(e.key, e.fingerprint, e.stamp, e.orderingKey))
              .toList();
      ProcessedMessages.Inserted inserted =
          processed.insert(connection, locked, consumer.name(), from, keys, Stamps.TOLERANCE);
      if (inserted.keys().isEmpty() && inserted.turn() != locked.turn()) {
        // The slots took a turn between the two statements: nothing was inserted, look again.
        timeouts = null;
        continue;
      }
      Map<String, @Nullable Outcome> perKey = new HashMap<>();
      asked.forEach(key -> perKey.put(key, new Outcome.InFlight()));
      inserted.keys().forEach(key -> perKey.put(key, null));
      List<String> rest = ours.stream().filter(key -> !inserted.keys().contains(key)).toList();
      if (!rest.isEmpty()) {
        judgeRest(connection, locked, firsts, rest, perKey);
      }
      return new Result(
          inOrder(entries, firsts, perKey),
          locked.turn(),
          inserted.keys().isEmpty() ? null : inserted.xid(),
          inserted.insideSavepoint());
    }
  }

  /**
   * Keys that are locked and, for an ordered consumer, whose ordering key is locked as well; behind
   * one that is not, no other of its ordering key.
   */
  private List<String> heldInOrder(
      Connection connection, ProcessedMessages.Locked locked, Map<String, Entry> firsts)
      throws SQLException {
    List<String> held = firsts.keySet().stream().filter(locked.keys()::contains).toList();
    List<String> orderingKeys =
        held.stream()
            .map(k -> firsts.get(k).orderingKey)
            .filter(k -> k != null)
            .distinct()
            .toList();
    if (orderingKeys.isEmpty()) {
      return held;
    }
    Set<String> ordered =
        new HashSet<>(processed.lock(connection, scope.orderingKeys(), orderingKeys).keys());
    List<String> ours = new ArrayList<>(held.size());
    firsts.forEach(
        (key, entry) -> {
          if (!locked.keys().contains(key)) {
            ordered.remove(entry.orderingKey);
          } else if (entry.orderingKey == null || ordered.contains(entry.orderingKey)) {
            ours.add(key);
          }
        });
    return ours;
  }

  private void judgeRest(
      Connection connection,
      ProcessedMessages.Locked locked,
      Map<String, Entry> firsts,
      List<String> rest,
      Map<String, @Nullable Outcome> perKey)
      throws SQLException {
    Map<String, List<ProcessedMessages.Known>> known =
        processed.look(connection, locked, consumer.name(), rest);
    if (firsts.get(rest.get(0)).lease != null) {
      // Not its own row, which is there of course.
      known.values().forEach(rows -> rows.removeIf(ProcessedMessages.Known::parked));
      known.values().removeIf(List::isEmpty);
    }
    List<String> unknown = rest.stream().filter(key -> !known.containsKey(key)).toList();
    Set<String> waiting = waitingBefore(connection, firsts, unknown);
    for (String key : rest) {
      Entry first = firsts.get(key);
      if (known.containsKey(key)) {
        perKey.put(key, judged(known.get(key), first.fingerprint));
      } else if (processed.tooOld(connection, first.stamp, Stamps.TOLERANCE)) {
        perKey.put(key, new Outcome.TooOld());
      } else if (first.lease == null && waiting.contains(first.orderingKey)) {
        perKey.put(key, new Outcome.Parked(Reasons.BEHIND));
      } else {
        // What kept it out has gone meanwhile: an operator has removed the row before it.
        perKey.put(key, new Outcome.InFlight());
      }
    }
  }

  private Set<String> waitingBefore(
      Connection connection, Map<String, Entry> firsts, List<String> keys) throws SQLException {
    List<String> orderingKeys =
        keys.stream()
            .map(key -> firsts.get(key).orderingKey)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return parked.waitingKeys(connection, consumer.name(), orderingKeys);
  }

  /** Applied and equal; or parked and equal; else the key is used for two things. */
  private static Outcome judged(List<ProcessedMessages.Known> rows, byte[] fingerprint) {
    boolean applied = false;
    boolean parkedEqual = false;
    for (ProcessedMessages.Known row : rows) {
      boolean same = Fingerprint.same(row.fingerprint(), fingerprint);
      applied |= same && !row.parked();
      parkedEqual |= same && row.parked();
    }
    if (applied) {
      return new Outcome.Duplicate();
    }
    return parkedEqual ? new Outcome.Parked(Reasons.COPY_OF_PARKED) : new Outcome.Conflict();
  }

  /** Copies of one key inside a batch: the first is what the claim says, the others follow it. */
  private static List<@Nullable Outcome> inOrder(
      List<Entry> entries, Map<String, Entry> firsts, Map<String, @Nullable Outcome> perKey) {
    List<@Nullable Outcome> outcomes = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      if (entry.key == null) {
        outcomes.add(new Outcome.Parked(entry.badReason));
      } else if (firsts.get(entry.key) == entry) {
        outcomes.add(perKey.get(entry.key));
      } else {
        outcomes.add(ofCopy(perKey.get(entry.key), firsts.get(entry.key), entry));
      }
    }
    return outcomes;
  }

  private static Outcome ofCopy(@Nullable Outcome first, Entry original, Entry copy) {
    if (first instanceof Outcome.InFlight) {
      return first;
    }
    boolean same = Fingerprint.same(original.fingerprint, copy.fingerprint);
    if (first == null) {
      // A conflict is with what is committed, and the first may still fail: looked at again then.
      return same ? new Outcome.Duplicate() : new Outcome.InFlight();
    }
    if (first instanceof Outcome.Duplicate) {
      return same ? first : new Outcome.Conflict();
    }
    // Judged against the rows of the table in a look of its own, next time.
    return same ? new Outcome.Parked(Reasons.COPY_OF_PARKED) : new Outcome.InFlight();
  }
}
