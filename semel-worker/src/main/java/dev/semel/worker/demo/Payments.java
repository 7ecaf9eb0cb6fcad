package dev.semel.worker.demo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What the producer publishes, in its order. Some payments stand there twice, with the same
 * message-id and the same bytes: the producer was not sure that the first try had arrived.
 */
record Payments(List<Payment> publications, Set<String> sentTwice) {

  private static final double SHARE_SENT_TWICE = 0.05;
  private static final int LARGEST_CENTS = 100_000;

  record Payment(String id, int cents) {}

  static Payments of(Plan plan) {
    Random random = new Random(plan.seed());
    List<Payment> all = new ArrayList<>();
    Set<String> twice = new HashSet<>();
    for (int i = 1; i <= plan.messages(); i++) {
      all.add(new Payment(String.format("payment-%06d", i), 1 + random.nextInt(LARGEST_CENTS)));
    }
    int copies = (int) Math.max(1, plan.messages() * SHARE_SENT_TWICE);
    for (Payment each : List.copyOf(all)) {
      // chooses exactly so many of those that are left
      int left = plan.messages() - Integer.parseInt(each.id().substring("payment-".length())) + 1;
      if (random.nextInt(left) < copies - twice.size()) {
        twice.add(each.id());
        int first = all.indexOf(each);
        all.add(first + 1 + random.nextInt(all.size() - first), each);
      }
    }
    return new Payments(List.copyOf(all), Set.copyOf(twice));
  }
}
