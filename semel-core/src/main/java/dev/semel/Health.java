package dev.semel;

import java.util.List;

/**
 * Whether a worker can do its work now.
 *
 * @param ready every wanted consumer exists at its broker, and the database answers
 * @param reasons one line for each thing that is missing; empty if ready
 */
public record Health(boolean ready, List<String> reasons) {

  /**
   * Copies the list.
   *
   * @param ready see the record
   * @param reasons see the record
   */
  public Health {
    reasons = List.copyOf(reasons);
  }
}
