package dev.semel;

/** A setting, or what it points at, cannot work; the message names it and the remedy. */
public final class ConfigurationException extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * Made by Semel and its adapters.
   *
   * @param message the thing and the remedy, in one line
   */
  public ConfigurationException(String message) {
    super(message);
  }

  /**
   * Made by Semel and its adapters.
   *
   * @param message the thing and the remedy, in one line
   * @param cause what was seen
   */
  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
