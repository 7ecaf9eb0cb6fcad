package dev.semel.checker;

import java.util.List;

/** Published messages are nowhere. */
public final class LostMessage extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** The keys; an array, since an error must be serializable. */
  private final String[] keys;

  LostMessage(List<String> keys, String report) {
    super(report);
    this.keys = keys.toArray(String[]::new);
  }

  /**
   * The keys that are lost.
   *
   * @return the keys, all of them
   */
  public List<String> keys() {
    return List.of(keys);
  }
}
