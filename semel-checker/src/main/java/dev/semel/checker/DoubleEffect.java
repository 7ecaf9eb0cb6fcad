package dev.semel.checker;

import java.util.List;

/** Keys have more than one effect. */
public final class DoubleEffect extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** The keys; an array, since an error must be serializable. */
  private final String[] keys;

  DoubleEffect(List<String> keys, String report) {
    super(report);
    this.keys = keys.toArray(String[]::new);
  }

  /**
   * The keys with more than one effect.
   *
   * @return the keys, all of them
   */
  public List<String> keys() {
    return List.of(keys);
  }
}
