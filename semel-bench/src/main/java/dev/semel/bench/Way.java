package dev.semel.bench;

/** A way of applying the messages of a queue; its name travels to the contender's JVM. */
enum Way {
  /** The loop of every tutorial. */
  ONE_BY_ONE {
    @Override
    Consuming consuming() {
      return new OneByOne(1, 1);
    }
  },

  /** The same with what helps it most. */
  ONE_BY_ONE_WIDE {
    @Override
    Consuming consuming() {
      return new OneByOne(8, 250);
    }
  },

  /** What an engineer with a day's time writes. */
  HAND_TUNED {
    @Override
    Consuming consuming() {
      return new HandTunedBatches(BATCH);
    }
  },

  /** Semel as it comes. */
  SEMEL {
    @Override
    Consuming consuming() {
      return SemelConsuming.oneByOne();
    }
  },

  /** The same, but no number of parked messages stops its intake. */
  SEMEL_WITHOUT_PARKED_LIMIT {
    @Override
    Consuming consuming() {
      return SemelConsuming.withoutParkedLimit();
    }
  },

  /** Semel with the batch of the hand-tuned loop. */
  SEMEL_BATCHES {
    @Override
    Consuming consuming() {
      return SemelConsuming.batches(BATCH);
    }
  };

  static final int BATCH = 200;

  abstract Consuming consuming();
}
