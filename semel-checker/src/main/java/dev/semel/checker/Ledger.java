package dev.semel.checker;

import java.util.Optional;

/** Adds up the {@link Balance} and finds the keys that do not fit into it. */
final class Ledger {
  private long published;
  private long overlap;
  private long applied;
  private long duplicates;
  private long parked;
  private long queued;
  private long vanished;

  void add(KeyFacts facts) {
    if (facts.perhaps() || facts.published() == 0) {
      return;
    }
    published += facts.published();
    applied += facts.applied();
    parked += facts.parked();
    queued += facts.queued();
    int rest = rest(facts);
    if (rest < 0) {
      overlap -= rest;
    } else if (facts.applied() + facts.parked() > 0) {
      duplicates += rest;
    } else {
      vanished += rest;
    }
  }

  Balance balance() {
    return new Balance(published, overlap, applied, duplicates, parked, queued, vanished);
  }

  /**
   * What is wrong with a key; what is lost or invented has a name of its own and is not told again
   * here.
   */
  static Optional<String> misfit(KeyFacts facts) {
    if (facts.perhaps() || facts.isLost() || facts.isInvented()) {
      return Optional.empty();
    }
    int published = facts.published();
    if (facts.queued() > published) {
      return Optional.of(facts.queued() + " copies in the queues, published " + published);
    }
    if (facts.applied() + Math.min(facts.parked(), 1) > published) {
      return Optional.of(
          "effects "
              + facts.effects()
              + ", parked rows "
              + facts.parked()
              + ", published "
              + published);
    }
    if (facts.applied() + facts.parked() == 0 && rest(facts) > 0) {
      return Optional.of(
          rest(facts) + " of " + published + " copies left the broker, no effect, not parked");
    }
    return Optional.empty();
  }

  private static int rest(KeyFacts facts) {
    return facts.published() - facts.queued() - facts.applied() - facts.parked();
  }
}
