package dev.semel.worker.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** One planned kill of a relay: when it has come to this moment for the so many-th time. */
record RelayKill(RelayMoment moment, int after) {

  /** Few, since other relays take their share of the events too. */
  private static final int LATEST = 4;

  /**
   * Half as many as those of a worker, since each costs the start of a JVM; half of them at each
   * moment, in an order of the seed.
   */
  static List<RelayKill> of(Plan plan) {
    Random random = new Random(plan.seed() * 31 + Contender.values().length);
    List<RelayMoment> moments = new ArrayList<>();
    int number = Math.max(RelayMoment.values().length, (plan.kills() + 1) / 2);
    for (int i = 0; i < number; i++) {
      moments.add(RelayMoment.values()[i % RelayMoment.values().length]);
    }
    Collections.shuffle(moments, random);
    return moments.stream().map(each -> new RelayKill(each, 1 + random.nextInt(LATEST))).toList();
  }
}
