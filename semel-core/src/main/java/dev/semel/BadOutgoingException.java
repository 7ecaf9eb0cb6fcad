package dev.semel;

/** An outgoing message cannot leave as it is; see {@link Outgoing}. Nothing of it is stored. */
public final class BadOutgoingException extends SemelException {

  private static final long serialVersionUID = 1L;

  /**
   * Made by Semel.
   *
   * @param message the field, what is wrong with it, and its bounds; one line
   */
  public BadOutgoingException(String message) {
    super(message);
  }
}
