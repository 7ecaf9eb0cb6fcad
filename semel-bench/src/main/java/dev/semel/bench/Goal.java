package dev.semel.bench;

import java.util.List;
import java.util.OptionalDouble;

/** At least so many times as fast as another. */
record Goal(Contender contender, Contender than, double factor) {

  static final List<Goal> ALL =
      List.of(new Goal(Contender.D, Contender.B, 2.5), new Goal(Contender.E, Contender.C, 0.7));

  /** Empty if one of the two did not run. */
  OptionalDouble ratio(Rates rates) {
    OptionalDouble one = rates.median(contender);
    OptionalDouble other = rates.median(than);
    return one.isPresent() && other.isPresent()
        ? OptionalDouble.of(one.getAsDouble() / other.getAsDouble())
        : OptionalDouble.empty();
  }

  boolean missed(Rates rates) {
    return ratio(rates).orElse(Double.POSITIVE_INFINITY) < factor;
  }

  String text() {
    return contender.letter() + " / " + than.letter();
  }
}
