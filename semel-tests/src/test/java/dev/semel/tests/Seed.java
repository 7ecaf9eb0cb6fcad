package dev.semel.tests;

import java.util.Random;

/** Randomness that can be had again: the seed is printed, and taken from -Dsemel.seed if set. */
final class Seed {

  private Seed() {}

  static Random random(String test) {
    long seed = Long.getLong("semel.seed", System.nanoTime() % 1_000_000);
    System.out.println(test + ": again with -Dsemel.seed=" + seed);
    return new Random(seed);
  }
}
