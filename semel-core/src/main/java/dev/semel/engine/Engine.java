package dev.semel.engine;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.spi.Probe;

/** The one public door to the machine. */
public final class Engine {

  private Engine() {}

  /**
   * An instance.
   *
   * @param settings checked settings
   * @return the instance; nothing is connected yet
   */
  public static Semel of(Settings settings) {
    return of(settings, step -> {});
  }

  /**
   * An instance whose steps are watched: for the test kit and for debugging.
   *
   * @param settings checked settings
   * @param probe is told of each step, by the lane that did it
   * @return the instance; nothing is connected yet
   */
  public static Semel of(Settings settings, Probe probe) {
    return new SemelEngine(settings, settings.oneAtATime() ? new LoggingProbe(probe) : probe);
  }
}
