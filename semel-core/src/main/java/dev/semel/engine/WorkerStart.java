package dev.semel.engine;

import dev.semel.ConfigurationException;
import dev.semel.Consumer;
import dev.semel.Settings;
import dev.semel.UnavailableException;
import dev.semel.Worker;
import dev.semel.spi.MessageSender;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Probe;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks everything that can be checked, then puts a worker together and starts it. */
final class WorkerStart {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");
  private static final int MOST_PREFETCH = 500;

  /** The one ordering key of a source that has an order. */
  private static final String WHOLE_SOURCE = "*";

  private final Settings settings;
  private final Tables tables;
  private final Wakeup wakeup;
  private final Probe probe;

  private WorkerStart(Settings settings, Tables tables, Wakeup wakeup, Probe probe) {
    this.settings = settings;
    this.tables = tables;
    this.wakeup = wakeup;
    this.probe = probe;
  }

  static Worker start(
      Settings settings, Tables tables, Wakeup wakeup, Probe probe, List<Consumer> consumers) {
    return new WorkerStart(settings, tables, wakeup, probe).start(consumers);
  }

  /** A consumer with the numbers that apply to it. */
  private record Sized(
      Consumer consumer, MessageSource source, int lanes, int batch, int prefetch) {

    int locks() {
      int perKey = consumer.orderingKey() == null ? 1 : 2;
      return lanes * batch * perKey;
    }
  }

  private Worker start(List<Consumer> consumers) {
    List<Sized> sized = new ArrayList<>();
    for (Sized s : sized(consumers)) {
      s.source().check();
      sized.add(inOrder(s));
    }
    Relay.senders(settings).values().forEach(MessageSender::check);
    sized.stream()
        .filter(s -> s.consumer().identity().isLastResort())
        .forEach(
            s ->
                LOG.warn(
                    "consumer '{}' takes a hash of the body for the id: two messages with equal"
                        + " bytes are one to it, one message serialised twice in different ways is"
                        + " two",
                    s.consumer().name()));

    UUID id = UUID.randomUUID();
    List<Claims.Scope> scopes = register(id, sized);

    Telling telling = new Telling(settings.listener());
    Outages outages = new Outages(settings.listener());
    StopState stop = new StopState();
    Database database =
        new Database(settings.dataSource(), settings.statementTimeout(), tables.workers(), outages);
    Beat beat = new Beat(tables, id, telling);
    Solitude solitude = new Solitude(database, stop);
    Timeouts timeouts = Timeouts.of(settings);
    List<RunningConsumer> running = new ArrayList<>();
    for (int i = 0; i < sized.size(); i++) {
      Sized s = sized.get(i);
      Consumer consumer = s.consumer();
      Claims claims = new Claims(tables, consumer, scopes.get(i), probe);
      Retries retries = new Retries(consumer, new SplittableRandom());
      BatchSize parkedBatchSize = new BatchSize(s.batch());
      LaneContext context =
          new LaneContext(
              consumer,
              id,
              s.prefetch(),
              new BatchRun(tables, claims, consumer, timeouts, wakeup, probe),
              database,
              beat,
              new HandlerGate(consumer.name(), outages),
              new BatchSize(s.batch()),
              parkedBatchSize,
              new ParkedWork(
                  consumer,
                  id,
                  tables,
                  timeouts,
                  retries,
                  parkedBatchSize,
                  outages,
                  telling,
                  probe,
                  solitude),
              retries,
              new Failures(consumer.pause()),
              new DeadlineWatch(consumer, s.prefetch(), s.lanes(), telling),
              telling,
              probe,
              stop);
      running.add(new RunningConsumer(s.source(), context, outages, s.lanes()));
    }
    database.whenAway(
        away -> running.forEach(c -> c.hold(RunningConsumer.Hold.DATABASE_AWAY, away)));
    Heart heart =
        new Heart(
            database,
            tables,
            id,
            beat,
            () -> running.stream().anyMatch(RunningConsumer::holdsSession),
            () -> running.forEach(RunningConsumer::upkeep));
    Relay relay =
        settings.senders().isEmpty()
            ? null
            : new Relay(settings, tables, database, outages, telling, wakeup, id, probe);
    Notifier notifier =
        new Notifier(database, tables.outbox(), () -> relay != null && relay.allShardsHere());
    Runnable notifies = notifier::signal;
    wakeup.add(notifies);
    RunningWorker worker =
        new RunningWorker(
            running,
            outages,
            heart,
            relay,
            notifier,
            () -> wakeup.remove(notifies),
            solitude,
            stop,
            settings.grace());
    worker.start();
    return worker;
  }

  /** Order needs a source that keeps it, and such a source has an order. */
  private static Sized inOrder(Sized s) {
    Consumer consumer = s.consumer();
    boolean keeps = s.source().oneProcessAtATime();
    if (consumer.orderingKey() != null && !keeps) {
      throw new ConfigurationException(
          "cannot start: consumer '"
              + consumer.name()
              + "' has an ordering key, but source "
              + s.source().name()
              + " gives its messages to several processes at a time; use a queue with a single"
              + " active consumer (x-single-active-consumer), or leave orderingKey away");
    }
    if (consumer.orderingKey() != null || !keeps) {
      return s;
    }
    Consumer ordered = consumer.toBuilder().orderingKey(message -> WHOLE_SOURCE).build();
    return new Sized(ordered, s.source(), s.lanes(), s.batch(), s.prefetch());
  }

  private List<Sized> sized(List<Consumer> consumers) {
    if (consumers.isEmpty() && settings.senders().isEmpty()) {
      throw new ConfigurationException("a worker needs at least one consumer, or a sender");
    }
    Set<String> names = new HashSet<>();
    List<Sized> sized = new ArrayList<>();
    for (Consumer c : consumers) {
      if (!names.add(c.name())) {
        throw new ConfigurationException(
            "consumer '" + c.name() + "' is there twice; raise its lanes instead");
      }
      if (!(c.source() instanceof MessageSource source)) {
        throw new ConfigurationException(
            c.source() == null
                ? "consumer '" + c.name() + "' has no source; set one, or use Semel.inbox"
                : "the source of consumer '"
                    + c.name()
                    + "' is no dev.semel.spi.MessageSource; take one of an adapter");
      }
      if (settings.oneAtATime()) {
        sized.add(new Sized(c, source, 1, 1, 1));
        continue;
      }
      int lanes = c.lanes() == null ? settings.lanes() : c.lanes();
      int batch = c.batch() == null ? settings.batch() : c.batch();
      Integer set = c.prefetch() == null ? settings.prefetch() : c.prefetch();
      int prefetch = set == null ? Math.min(2 * batch * lanes, MOST_PREFETCH) : set;
      if (prefetch < lanes) {
        throw new ConfigurationException(
            "prefetch of consumer '"
                + c.name()
                + "' is "
                + prefetch
                + ", but must be at least lanes ("
                + lanes
                + ")");
      }
      sized.add(new Sized(c, source, lanes, batch, prefetch));
    }
    return sized;
  }

  private List<Claims.Scope> register(UUID id, List<Sized> sized) {
    SessionHolder holder =
        new SessionHolder(() -> Session.open(settings.dataSource(), settings.statementTimeout()));
    try {
      Connection connection = holder.get().connection();
      int locks = sized.stream().mapToInt(Sized::locks).sum();
      List<String> failures = new StartChecks(settings, tables).failures(connection, locks);
      if (!failures.isEmpty()) {
        throw new ConfigurationException("cannot start: " + String.join(" | ", failures));
      }
      List<Claims.Scope> scopes = new ArrayList<>();
      for (Sized s : sized) {
        registerSource(connection, s.consumer(), s.source().name());
        scopes.add(tables.installation().scope(connection, s.consumer().name()));
      }
      int lanes = sized.stream().mapToInt(Sized::lanes).sum();
      int batch = sized.stream().mapToInt(Sized::batch).max().orElse(1);
      List<String> roles = new ArrayList<>();
      sized.forEach(s -> roles.add("consumer:" + s.consumer().name()));
      if (!settings.senders().isEmpty()) {
        roles.add("relay");
      }
      tables
          .workers()
          .begin(
              connection,
              new Workers.Row(
                  id,
                  host(),
                  version(),
                  roles.toArray(String[]::new),
                  lanes,
                  batch,
                  locks,
                  ProcessMark.ofThisProcess()));
      tables.workers().markLost(connection, id, false);
      connection.commit();
      return scopes;
    } catch (SQLException e) {
      throw new UnavailableException("the database could not be asked: " + e.getMessage(), e);
    } finally {
      holder.release();
    }
  }

  private void registerSource(Connection connection, Consumer consumer, String source)
      throws SQLException {
    if (consumer.movedFrom() != null) {
      tables.consumers().move(connection, consumer.name(), consumer.movedFrom(), source);
    }
    String registered = tables.consumers().register(connection, consumer.name(), source);
    if (!registered.equals(source)) {
      throw new ConfigurationException(
          "cannot start: consumer '"
              + consumer.name()
              + "' belongs to source "
              + registered
              + ", not "
              + source
              + "; give the new source a consumer of its own, or say movedFrom(\""
              + registered
              + "\") if the same messages moved there");
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName() + "/" + ProcessHandle.current().pid();
    } catch (UnknownHostException e) {
      return "unknown/" + ProcessHandle.current().pid();
    }
  }

  private static String version() {
    String version = Engine.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
