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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claim of a batch: lock the keys, insert the new ones, judge the rest. Both halves run in the
 * transaction of the effect; the lock lives until that has ended, so looking and inserting cannot
 * race with anybody.
 */
final class Claims {

  private final ProcessedMessages processed;
  private final Consumer consumer;
  private final Scope scope;
  private final Probe probe;

  Claims(ProcessedMessages processed, Consumer consumer, Scope scope, Probe probe) {
    this.processed = processed;
    this.consumer = consumer;
    this.scope = scope;
    this.probe = probe;
  }

  /** Seeds of the lock hashes: of the keys and of the ordering keys of one consumer. */
  record Scope(long keys, long orderingKeys) {}

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

  /** Begins, locks one key and tells what is known of it, for those who insert elsewhere. */
  ProcessedMessages.@Nullable Locked lockOne(Connection connection, Timeouts timeouts, Entry entry)
      throws SQLException {
    List<String> keys = entry.key == null ? List.of() : List.of(entry.key);
    ProcessedMessages.Locked locked =
        processed.beginAndLock(connection, timeouts, scope.keys(), keys);
    probe.reached(Step.LOCKED);
    return locked.keys().size() == keys.size() ? locked : null;
  }

  /** What is known of a locked key; null if nothing is. */
  @Nullable Outcome known(Connection connection, ProcessedMessages.Locked locked, Entry entry)
      throws SQLException {
    List<ProcessedMessages.Known> known =
        processed
            .look(connection, locked, consumer.name(), List.of(entry.key))
            .getOrDefault(entry.key, List.of());
    return known.isEmpty() ? null : judged(known, entry.fingerprint);
  }

  private Result claim(Connection connection, @Nullable Timeouts timeouts, List<Entry> entries)
      throws SQLException {
    Map<String, Entry> firsts = new LinkedHashMap<>();
    entries.stream().filter(e -> e.key != null).forEach(e -> firsts.putIfAbsent(e.key, e));
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
              .map(e -> new ProcessedMessages.Key(e.key, e.fingerprint, e.stamp))
              .toList();
      ProcessedMessages.Inserted inserted =
          processed.insert(connection, locked, consumer.name(), keys, Stamps.TOLERANCE);
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

  /** Keys that are locked and, for an ordered consumer, whose ordering key is locked as well. */
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
    var ordered = processed.lock(connection, scope.orderingKeys(), orderingKeys).keys();
    return held.stream()
        .filter(
            k -> firsts.get(k).orderingKey == null || ordered.contains(firsts.get(k).orderingKey))
        .toList();
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
    for (String key : rest) {
      List<ProcessedMessages.Known> rows = known.getOrDefault(key, List.of());
      // Neither inserted nor known: the age fence alone keeps such a key out.
      perKey.put(
          key, rows.isEmpty() ? new Outcome.TooOld() : judged(rows, firsts.get(key).fingerprint));
    }
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
