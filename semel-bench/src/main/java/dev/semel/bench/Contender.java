package dev.semel.bench;

import java.util.Locale;

/** Who runs. */
public enum Contender {
  /** The loop of every tutorial. */
  A("hand-written, 1 message a transaction, 1 thread") {
    @Override
    Consuming consuming() {
      return new OneByOne(1, 1);
    }
  },

  /** The same with what helps it most. */
  B("the same, 8 threads, prefetch 250") {
    @Override
    Consuming consuming() {
      return new OneByOne(8, 250);
    }
  },

  /** What an engineer with a day's time writes. */
  C("hand-tuned batches of " + Contender.BATCH) {
    @Override
    Consuming consuming() {
      return new HandTunedBatches(Contender.BATCH);
    }
  },

  /** Semel as it comes. */
  D("Semel, Handler, defaults") {
    @Override
    Consuming consuming() {
      return SemelConsuming.oneByOne();
    }
  },

  /** Semel with the batch of C. */
  E("Semel, BatchHandler, batch " + Contender.BATCH) {
    @Override
    Consuming consuming() {
      return SemelConsuming.batches(Contender.BATCH);
    }
  };

  private static final int BATCH = 200;

  private final String title;

  Contender(String title) {
    this.title = title;
  }

  abstract Consuming consuming();

  /**
   * What people call it.
   *
   * @return a lower-case letter
   */
  public String letter() {
    return name().toLowerCase(Locale.ROOT);
  }

  String title() {
    return title;
  }
}
