package dev.semel.bench;

import java.util.OptionalDouble;

/** At least so many times as fast as another. */
record Goal(Contender contender, Contender than, double factor) {

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
    return contender.name() + " / " + than.name();
  }
}
