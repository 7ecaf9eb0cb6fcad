package dev.semel.checker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges one consumer from outside: what the recorders wrote, what the database holds, what the
 * queues hold.
 *
 * <p>Judge a system at rest: workers stopped or idle, parked messages that wait for a retry worked
 * off, queues drained by the caller. Otherwise the three sources speak of three different moments,
 * and what is on its way looks lost.
 *
 * <p>What is judged, for every key:
 *
 * <ul>
 *   <li>{@link Promise#AT_MOST_ONCE}: exact, by the rows of the effects' table.
 *   <li>{@link Promise#EVENTUALLY_ONCE} and {@link Promise#NOTHING_INVENTED}: exact, if each
 *       confirmed copy was recorded as PUBLISHED and copies of unknown fate are named with {@link
 *       #perhapsPublished}.
 *   <li>{@link Promise#ACKNOWLEDGE_AFTER_COMMIT}: exact where there is neither an effect nor a
 *       parked message behind an acknowledgement. The order of acknowledgement and commit is read
 *       from records that are written a moment after the fact, so it is decided only where no
 *       correct system could leave these traces; the rest is in {@link Verdict#undecided()}. (One
 *       remainder: a rival in the same process that acknowledges a redelivered copy in the moment
 *       between commit and record, while the committer's own acknowledgement is never recorded, is
 *       accused wrongly.) A system that parks must record PARKED.
 *   <li>{@link Promise#CONSERVATION}: see {@link Balance}, also for what cannot be seen.
 * </ul>
 */
public final class Judge {
  private final History history;
  private final String consumer;
  private @Nullable Tally effects;
  private Tally parked = Tally.none();
  private Tally queued = Tally.none();
  private Set<String> perhaps = Set.of();

  private Judge(History history, String consumer) {
    this.history = history;
    this.consumer = consumer;
  }

  /**
   * Starts to gather what is needed.
   *
   * @param history what the recorders wrote; PUBLISHED counts for the consumer if it names it or
   *     nobody
   * @param consumer the consumer to judge
   * @return a judge that still needs the effects
   */
  public static Judge of(History history, String consumer) {
    return new Judge(history, consumer);
  }

  /**
   * The effects, without which there is no judgement.
   *
   * @param effects the consumer's effects, from a table without a unique key
   * @return this judge
   */
  public Judge effects(Tally effects) {
    this.effects = effects;
    return this;
  }

  /**
   * The parked messages; none if not given. What an operator discarded on purpose belongs here too.
   *
   * @param parked the consumer's parked messages
   * @return this judge
   */
  public Judge parked(Tally parked) {
    this.parked = parked;
    return this;
  }

  /**
   * What the caller found when it drained the consumer's queues; nothing if not given.
   *
   * @param queued a key for each copy
   * @return this judge
   */
  public Judge queued(Collection<String> queued) {
    this.queued = Tally.of(queued);
    return this;
  }

  /**
   * Keys of which it is not known whether, or how often, they were published, because a producer
   * died or lost its connection before the confirm. They may have one effect or none, and are left
   * out of {@link Promise#EVENTUALLY_ONCE}, {@link Promise#NOTHING_INVENTED} and {@link
   * Promise#CONSERVATION}.
   *
   * @param keys the keys
   * @return this judge
   */
  public Judge perhapsPublished(Collection<String> keys) {
    this.perhaps = Set.copyOf(keys);
    return this;
  }

  /**
   * Judges.
   *
   * @return what was found
   * @throws IllegalStateException if the effects were not given, or nothing was published to the
   *     consumer: that nothing went wrong would be no news then
   */
  public Verdict judge() {
    if (effects == null) {
      throw new IllegalStateException("Give the judge the effects of " + consumer);
    }
    List<KeyFacts> all = facts(effects);
    if (all.stream().noneMatch(facts -> facts.published() > 0)) {
      throw new IllegalStateException(
          "Nothing was published to " + consumer + ", so there is nothing to judge");
    }
    AcknowledgementRule acknowledgements = new AcknowledgementRule(history);
    Ledger ledger = new Ledger();
    List<Violation> violations = new ArrayList<>();
    List<Violation> undecided = new ArrayList<>();
    for (KeyFacts facts : all) {
      ledger.add(facts);
      judgeEffects(facts, violations);
      acknowledgements
          .judge(facts)
          .ifPresent(
              found ->
                  (found.certain() ? violations : undecided)
                      .add(violation(Promise.ACKNOWLEDGE_AFTER_COMMIT, facts, found.detail())));
      Ledger.misfit(facts)
          .ifPresent(detail -> violations.add(violation(Promise.CONSERVATION, facts, detail)));
    }
    return new Verdict(consumer, violations, undecided, ledger.balance(), activity(all));
  }

  private void judgeEffects(KeyFacts facts, List<Violation> violations) {
    if (facts.effects() > 1) {
      violations.add(violation(Promise.AT_MOST_ONCE, facts, "effects " + facts.effects()));
    }
    if (facts.isInvented()) {
      violations.add(violation(Promise.NOTHING_INVENTED, facts, "has an effect, never published"));
    }
    if (facts.isLost()) {
      violations.add(
          violation(
              Promise.EVENTUALLY_ONCE,
              facts,
              "no effect, not parked, not with the broker; published "
                  + facts.published()
                  + ", entered "
                  + facts.count(Event.ENTERED)
                  + ", acknowledged "
                  + facts.count(Event.ACKNOWLEDGED)));
    }
  }

  private Violation violation(Promise promise, KeyFacts facts, String detail) {
    return new Violation(promise, consumer, facts.key(), detail);
  }

  private List<KeyFacts> facts(Tally effects) {
    Set<String> keys = new LinkedHashSet<>(history.keys());
    keys.addAll(effects.keys());
    keys.addAll(parked.keys());
    keys.addAll(queued.keys());
    return keys.stream()
        .map(
            key ->
                new KeyFacts(
                    key,
                    history.events(key).stream().filter(this::concernsConsumer).toList(),
                    effects.count(key),
                    parked.count(key),
                    queued.count(key),
                    perhaps.contains(key)))
        .toList();
  }

  private boolean concernsConsumer(Recorded event) {
    return event.consumer().equals(consumer)
        || event.event() == Event.PUBLISHED && event.consumer().isEmpty();
  }

  private static Activity activity(List<KeyFacts> all) {
    Map<Event, Integer> counts = new EnumMap<>(Event.class);
    List<String> entered = new ArrayList<>();
    long withoutEffect = 0;
    for (KeyFacts facts : all) {
      int entries = 0;
      for (Recorded event : facts.events()) {
        counts.merge(event.event(), 1, Integer::sum);
        if (event.event() == Event.ENTERED) {
          entered.add(facts.key());
          entries++;
        }
      }
      withoutEffect += Math.max(0, entries - facts.effects());
    }
    return new Activity(counts, Tally.of(entered), withoutEffect);
  }
}
