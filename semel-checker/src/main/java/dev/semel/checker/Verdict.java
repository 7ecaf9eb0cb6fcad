package dev.semel.checker;

import java.util.List;

/** What the {@link Judge} found about one consumer. Immutable. */
public final class Verdict {
  private final String consumer;
  private final List<Violation> violations;
  private final List<Violation> undecided;
  private final Balance balance;
  private final Activity activity;

  Verdict(
      String consumer,
      List<Violation> violations,
      List<Violation> undecided,
      Balance balance,
      Activity activity) {
    this.consumer = consumer;
    this.violations = List.copyOf(violations);
    this.undecided = List.copyOf(undecided);
    this.balance = balance;
    this.activity = activity;
  }

  /**
   * Whether no promise was broken, as far as that can be seen.
   *
   * @return true if there are no violations
   */
  public boolean ok() {
    return violations.isEmpty();
  }

  /**
   * The consumer that was judged.
   *
   * @return its name
   */
  public String consumer() {
    return consumer;
  }

  /**
   * Every broken promise of every key.
   *
   * @return the violations
   */
  public List<Violation> violations() {
    return violations;
  }

  /**
   * Keys whose traces a correct system and a broken one could both have left. A correct system,
   * whose commits are all recorded, has none in a run without kills, redeliveries and second
   * copies; else no more than were in flight at the kills, plus those copies.
   *
   * @return what would be violations if it were certain
   */
  public List<Violation> undecided() {
    return undecided;
  }

  /**
   * Keys with more than one effect.
   *
   * @return the keys
   */
  public List<String> doubled() {
    return keys(Promise.AT_MOST_ONCE);
  }

  /**
   * Published keys with no effect that are neither parked nor with the broker.
   *
   * @return the keys
   */
  public List<String> lost() {
    return keys(Promise.EVENTUALLY_ONCE);
  }

  /**
   * Keys with an effect that were never published.
   *
   * @return the keys
   */
  public List<String> invented() {
    return keys(Promise.NOTHING_INVENTED);
  }

  /**
   * Where the published copies are.
   *
   * @return the sums
   */
  public Balance balance() {
    return balance;
  }

  /**
   * How often an event was recorded for this consumer.
   *
   * @param event the event
   * @return its number
   */
  public int count(Event event) {
    return activity.count(event);
  }

  /**
   * How often the handler's body was entered for each key.
   *
   * @return the entries; a key without one is not in it
   */
  public Tally entered() {
    return activity.entered();
  }

  /**
   * Entries that left no effect, summed over the keys. Without failing handlers, this is no more
   * than what was in flight at the kills.
   *
   * @return their number
   */
  public long entriesWithoutEffect() {
    return activity.entriesWithoutEffect();
  }

  /**
   * The verdict for a reader: a few lines, at most 20 keys of a kind.
   *
   * @return the text
   */
  public String report() {
    return new Report(this).text();
  }

  /**
   * Asserts that no promise was broken.
   *
   * @throws AssertionError with the report, if one was
   */
  public void assertGood() {
    if (!ok()) {
      throw new AssertionError(report());
    }
  }

  /**
   * Asserts {@link Promise#AT_MOST_ONCE} alone.
   *
   * @throws DoubleEffect with the keys and the report, if a key has more than one effect
   */
  public void assertNothingDoubled() {
    if (!doubled().isEmpty()) {
      throw new DoubleEffect(doubled(), report());
    }
  }

  /**
   * Asserts {@link Promise#EVENTUALLY_ONCE} alone.
   *
   * @throws LostMessage with the keys and the report, if a message is lost
   */
  public void assertNothingLost() {
    if (!lost().isEmpty()) {
      throw new LostMessage(lost(), report());
    }
  }

  @Override
  public String toString() {
    return report();
  }

  private List<String> keys(Promise promise) {
    return violations.stream()
        .filter(violation -> violation.promise() == promise)
        .map(Violation::key)
        .toList();
  }
}
