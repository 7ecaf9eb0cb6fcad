package dev.semel.engine;

import dev.semel.spi.Delivery;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Runs parked messages one at a time; there is no delivery in it, ever. */
final class AloneLane implements Parts.Owner {

  private final LaneContext context;
  private final Parts parts;

  AloneLane(LaneContext context, int number) {
    this.context = context;
    this.parts = new Parts(context, number, this);
  }

  /**
   * Runs one message that is due.
   *
   * @return false if none is due, or the worker stops
   */
  boolean runOne() throws SQLException, InterruptedException {
    List<Entry> leased;
    try {
      leased = context.parked().lookForAlone(parts.connection());
    } catch (SQLException e) {
      parts.rollback(e);
      parts.databaseWorks();
      throw e;
    }
    parts.addLeased(leased);
    try {
      while (!parts.isEmpty()) {
        context.database().awaitBack(context.stop()::draining);
        if (!parts.doNext(this)) {
          parts.giveBackLeases(List.of());
          return false;
        }
      }
    } catch (RuntimeException | Error e) {
      // What became of it is not known: if it was applied, its row is gone.
      parts.discard();
      parts.giveBackLeases(List.of());
      parts.clear();
      throw e;
    }
    return !leased.isEmpty();
  }

  void release() {
    parts.release();
  }

  void abort() {
    parts.abort();
  }

  @Override
  public void decideLater(Entry entry, Throwable cause) {
    // It is alone: there are no others to tell whether it is their failure too.
    parts.decide(entry, cause);
  }

  @Override
  public void acknowledge(List<Delivery> done) {
    noDelivery(done);
  }

  @Override
  public void giveBack(List<Entry> unrun) {
    noDelivery(unrun);
  }

  @Override
  public void inFlight(Entry entry) {
    noDelivery(List.of(entry));
  }

  @Override
  public void runAfter(Duration pause, Entry entry) {
    noDelivery(List.of(entry));
  }

  @Override
  public void holdFor(Duration pause, Entry entry) {
    noDelivery(List.of(entry));
  }

  @Override
  public boolean heldBehind(Entry entry) {
    return false;
  }

  private static void noDelivery(List<?> none) {
    if (!none.isEmpty()) {
      throw new IllegalStateException("a delivery among messages that run alone");
    }
  }
}
