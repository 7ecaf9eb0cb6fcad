package dev.semel;

/**
 * The database (or a broker) cannot be asked now. Nothing was decided: the same call may be made
 * again, and is then answered by what is really stored.
 */
public final class UnavailableException extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * Made by Semel and its adapters.
   *
   * @param message what could not be reached
   * @param cause the error of the driver
   */
  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
