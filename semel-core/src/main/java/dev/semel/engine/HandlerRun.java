package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.Handler;
import dev.semel.Message;
import dev.semel.Outcome;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Runs the user's handler over the new entries of a batch, one after the other or all at once. */
final class HandlerRun {

  private final Consumer consumer;

  HandlerRun(Consumer consumer) {
    this.consumer = consumer;
  }

  /** Thrown by the handler; {@code index} is that of the entry, or -1 if nobody can say which. */
  static final class Threw extends Exception {

    private static final long serialVersionUID = 1L;

    final int index;

    Threw(int index, Throwable cause) {
      super(cause);
      this.index = index;
    }
  }

  /**
   * Runs what is new and can still be settled: a delivery whose channel closed in the meantime is
   * with somebody else soon.
   *
   * @param outcomes null for a new entry; becomes {@code Applied} where the handler ran
   * @param promises takes what the handlers send
   * @return the time in the handler for each entry, in nanoseconds
   */
  long[] run(
      Connection connection,
      List<Entry> entries,
      List<@Nullable Outcome> outcomes,
      @Nullable Handler handler,
      Promises promises,
      BooleanSupplier stopping)
      throws Threw {
    long[] nanos = new long[entries.size()];
    try (HandlerTx tx = new HandlerTx(connection, promises, entries)) {
      if (handler != null) {
        runEach(tx, entries, outcomes, handler, stopping, nanos);
      } else if (!stopping.getAsBoolean()) {
        runAll(tx, entries, outcomes, nanos);
      }
    }
    return nanos;
  }

  private static void runEach(
      HandlerTx tx,
      List<Entry> entries,
      List<@Nullable Outcome> outcomes,
      Handler handler,
      BooleanSupplier stopping,
      long[] nanos)
      throws Threw {
    for (int i = 0; i < nanos.length; i++) {
      Entry entry = entries.get(i);
      if (outcomes.get(i) != null || !entry.live()) {
        continue;
      }
      if (stopping.getAsBoolean()) {
        return;
      }
      long start = System.nanoTime();
      try {
        entry.runs++;
        tx.handles(entry);
        handler.handle(entry.message, tx);
      } catch (Throwable t) {
        throw new Threw(i, t);
      }
      nanos[i] = System.nanoTime() - start;
      outcomes.set(i, new Outcome.Applied());
    }
  }

  private void runAll(
      HandlerTx tx, List<Entry> entries, List<@Nullable Outcome> outcomes, long[] nanos)
      throws Threw {
    List<Message> messages = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < nanos.length; i++) {
      if (outcomes.get(i) == null && entries.get(i).live()) {
        entries.get(i).runs++;
        messages.add(entries.get(i).message);
        positions.add(i);
      }
    }
    if (messages.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    try {
      consumer.batchHandler().handle(List.copyOf(messages), tx);
    } catch (Throwable t) {
      throw new Threw(messages.size() == 1 ? positions.get(0) : -1, t);
    }
    long share = (System.nanoTime() - start) / messages.size();
    for (int i : positions) {
      nanos[i] = share;
      outcomes.set(i, new Outcome.Applied());
    }
  }
}
