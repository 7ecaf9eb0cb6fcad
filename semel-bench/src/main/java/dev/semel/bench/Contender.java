package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
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
   * Contenders by their letters.
   *
   * @param letters each at most once
   * @return in the order of running
   * @throws IllegalArgumentException for any other letter
   */
  static List<Contender> of(String letters) {
    List<Contender> chosen = new ArrayList<>();
    for (Contender each : values()) {
      if (letters.contains(each.letter())) {
        chosen.add(each);
      }
    }
    if (chosen.isEmpty() || chosen.size() != letters.length()) {
      throw new IllegalArgumentException("--only takes letters from a to e, each at most once");
    }
    return chosen;
  }

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
