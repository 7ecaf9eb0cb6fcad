package dev.semel.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Messages a second, for each contender and round. */
final class Rates {

  private final Map<Contender, List<Double>> all = new LinkedHashMap<>();

  void add(Contender contender, double perSecond) {
    all.computeIfAbsent(contender, any -> new ArrayList<>()).add(perSecond);
  }

  List<Double> of(Contender contender) {
    return List.copyOf(all.getOrDefault(contender, List.of()));
  }

  /** Empty for a contender that did not run. */
  OptionalDouble median(Contender contender) {
    double[] sorted = of(contender).stream().mapToDouble(rate -> rate).sorted().toArray();
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
  }
}
