package dev.semel.spi;

/** The engine's side of a subscription. Called by the source's threads; returns at once. */
public interface Intake {

  /**
   * A message arrived.
   *
   * @param delivery to be settled by the engine
   */
  void received(Delivery delivery);

  /** The consumer exists at the broker now. */
  void subscribed();

  /**
   * The consumer does not exist any more, against our will. The source goes on trying to get it
   * back.
   *
   * @param reason one line, without credentials
   */
  void lost(String reason);
}
