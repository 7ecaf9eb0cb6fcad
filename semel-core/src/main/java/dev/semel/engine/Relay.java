package dev.semel.engine;

import dev.semel.ConfigurationException;
import dev.semel.Sender;
import dev.semel.Settings;
import dev.semel.spi.MessageSender;
import dev.semel.spi.Probe;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** What lets messages out of this process: the leases, and a loop for each destination. */
final class Relay {

  private final Leases leases;
  private final Wakeup wakeup;
  private final Runnable wakes = this::look;
  private final List<RelayLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Thread leasing;

  Relay(
      Settings settings,
      Tables tables,
      Database database,
      Outages outages,
      Telling telling,
      Wakeup wakeup,
      UUID worker,
      Probe probe) {
    this.wakeup = wakeup;
    this.leases = new Leases(settings, tables, database, worker, probe, telling);
    this.leasing = new Thread(leases, "semel-relay-leases");
    senders(settings)
        .forEach(
            (name, sender) -> {
              RelayLoop loop =
                  new RelayLoop(
                      name, sender, settings, tables, database, leases, outages, telling, probe);
              loops.add(loop);
              threads.add(new Thread(loop, "semel-relay-" + name));
            });
    leases.readBy(List.of(wakes), shard -> loops.stream().anyMatch(l -> l.anyOf(shard)));
  }

  /** The senders, of which each must be one of an adapter. */
  static Map<String, MessageSender> senders(Settings settings) {
    Map<String, MessageSender> senders = new LinkedHashMap<>();
    for (Map.Entry<String, Sender> each : settings.senders().entrySet()) {
      if (!(each.getValue() instanceof MessageSender sender)) {
        throw new ConfigurationException(
            "the sender of destination '"
                + each.getKey()
                + "' is no dev.semel.spi.MessageSender; take one of an adapter");
      }
      senders.put(each.getKey(), sender);
    }
    return senders;
  }

  void start() {
    leasing.start();
    threads.forEach(Thread::start);
    wakeup.add(wakes);
  }

  private void look() {
    loops.forEach(RelayLoop::look);
  }

  boolean allShardsHere() {
    return leases.all();
  }

  /** One line for each loop that has ended though nobody stopped it. */
  List<String> troubles() {
    return loops.stream()
        .filter(RelayLoop::ended)
        .map(l -> "relay of destination '" + l.destination() + "' has ended; restart the worker")
        .toList();
  }

  /** Takes nothing new; what is on its way may get its answer. */
  void stop() {
    wakeup.remove(wakes);
    loops.forEach(RelayLoop::stop);
  }

  boolean awaitEnd(long deadline) throws InterruptedException {
    boolean all = true;
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      all &= !thread.isAlive();
    }
    return all;
  }

  void abort() {
    loops.forEach(RelayLoop::abort);
    threads.forEach(Thread::interrupt);
  }

  void close() {
    loops.forEach(RelayLoop::close);
    leases.stop();
    try {
      leasing.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    leases.giveUp();
  }
}
