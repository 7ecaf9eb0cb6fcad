package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Inbox;
import dev.semel.Outbox;
import dev.semel.Parking;
import dev.semel.Schema;
import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.Worker;
import dev.semel.spi.Probe;
import java.util.List;

/** Puts the parts together. */
final class SemelEngine implements Semel {

  private final Settings settings;
  private final Probe probe;
  private final Tables tables;
  private final Wakeup wakeup = new Wakeup();

  SemelEngine(Settings settings, Probe probe) {
    this.settings = settings;
    this.probe = probe;
    this.tables = Tables.of(settings.schema());
  }

  @Override
  public Inbox inbox(Consumer consumer) {
    return new EngineInbox(settings, tables, consumer, wakeup, probe);
  }

  @Override
  public Worker start(Consumer... consumers) {
    return WorkerStart.start(settings, tables, wakeup, probe, List.of(consumers));
  }

  @Override
  public Parking parking() {
    return new ParkingDesk(settings, tables);
  }

  @Override
  public Outbox outbox() {
    return new EngineOutbox(settings, tables, wakeup);
  }

  @Override
  public Schema schema() {
    return new SchemaTool(settings, tables);
  }
}
