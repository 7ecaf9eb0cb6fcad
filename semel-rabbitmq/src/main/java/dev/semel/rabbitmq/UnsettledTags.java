package dev.semel.rabbitmq;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The delivery tags that one channel holds unsettled: exactly those that the broker would still
 * accept. A multiple-acknowledgement takes <em>every</em> older tag, so it may reach no further
 * than to the first tag that is still held; what was settled behind that is acknowledged one by one
 * and leaves the set, so that no tag is ever sent twice (which would close the channel). Not
 * synchronised.
 */
final class UnsettledTags {

  private final TreeSet<Long> tags = new TreeSet<>();

  /**
   * What to send.
   *
   * @param upTo one acknowledgement of this tag and all older ones; 0 for none
   * @param single acknowledgements of one tag each
   */
  record Acks(long upTo, List<Long> single) {}

  void add(long tag) {
    tags.add(tag);
  }

  int size() {
    return tags.size();
  }

  boolean isEmpty() {
    return tags.isEmpty();
  }

  /** Takes the tags out; those that are not held (any more) are passed over. */
  Acks acknowledge(Collection<Long> settled) {
    List<Long> taken = take(settled);
    long firstHeld = tags.isEmpty() ? Long.MAX_VALUE : tags.first();
    long upTo = 0;
    List<Long> single = new ArrayList<>();
    for (long tag : taken) {
      if (tag < firstHeld) {
        upTo = Math.max(upTo, tag);
      } else {
        single.add(tag);
      }
    }
    return new Acks(upTo, single);
  }

  /** Takes the tags out and returns those that were held, each once. */
  List<Long> take(Collection<Long> settled) {
    List<Long> taken = new ArrayList<>(settled.size());
    for (Long tag : settled) {
      if (tags.remove(tag)) {
        taken.add(tag);
      }
    }
    return taken;
  }
}
