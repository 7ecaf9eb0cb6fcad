package dev.semel.engine;

import dev.semel.Listener.Outage;
import dev.semel.Outgoing;
import dev.semel.Settings;
import dev.semel.spi.Answer;
import dev.semel.spi.MessageSender;
import dev.semel.spi.Probe;
import dev.semel.spi.Sending;
import dev.semel.spi.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the messages of one destination out: reads pending rows of the shards that this process
 * holds, hands them to the sender, removes what was confirmed. One thread, which survives anything;
 * no transaction is open while something is sent.
 *
 * <p>In each shard it reads on from the place that it has come to. A row may come up behind that
 * place (its id was drawn before, its transaction committed later), so a <em>full look</em> at
 * every poll goes back to the first one there. A full look may be slow, where a snapshot that
 * somebody holds keeps the rows that have left from being cleared away, so it takes at most a tenth
 * of the time.
 */
final class RelayLoop implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private static final int MOST_ROWS = 2000;
  private static final long MOST_BYTES = 16L * 1024 * 1024;
  private static final int READ_ROWS = 1000;
  private static final int ENOUGH_ANSWERS = 500;
  private static final long ANSWERS_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int LOOKS_SHARE = 10;
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;
  private static final long TIDY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String destination;
  private final Database database;
  private final OutboxMessages outbox;
  private final ProcessedMessages transactions;
  private final Timeouts timeouts;
  private final long pollNanos;
  private final Duration keepSent;
  private final Leases leases;
  private final Outages outages;
  private final Telling telling;
  private final Probe probe;
  private final SessionHolder session;
  private final InHand inHand;
  private final Sending sending;
  private final Semaphore signals = new Semaphore(0);
  private final SplittableRandom random = new SplittableRandom();

  /** By shard: the highest id that was read. */
  private final Map<Integer, Long> places = new HashMap<>();

  private final List<InHand.Row> toMark = new ArrayList<>();
  private volatile boolean stopping;
  private volatile boolean aborted;
  private volatile boolean paused;
  private volatile boolean ended;

  /** Whether there may be rows beyond the places, and rows whose time has come. */
  private boolean ahead;

  private boolean due;
  private volatile boolean signalled;
  private int rowsOfAShard = READ_ROWS;
  private long firstAnswerAt;
  private long nextLook = System.nanoTime();
  private long nextTidy = System.nanoTime();

  /** Others may have left entries too. */
  private boolean untidy = true;

  private long markPause;
  private boolean marksFail;
  private int rotation;

  RelayLoop(
      String destination,
      MessageSender sender,
      Settings settings,
      Tables tables,
      Database database,
      Leases leases,
      Outages outages,
      Telling telling,
      Probe probe) {
    this.destination = destination;
    this.database = database;
    this.outbox = tables.outbox();
    this.transactions = tables.processed();
    this.timeouts = Timeouts.of(settings);
    this.pollNanos = settings.relayPoll().toNanos();
    this.keepSent = settings.keepSent();
    this.leases = leases;
    this.outages = outages;
    this.telling = telling;
    this.probe = probe;
    this.session = new SessionHolder(database::open);
    this.inHand = new InHand(shard -> !aborted && leases.maySend(shard), this::wake, probe);
    this.sending = sender.open(destination, new Outlook());
    inHand.sendBy(sending);
  }

  /** Tells of the destination's going and coming. */
  private final class Outlook implements MessageSender.Outlook {

    @Override
    public void away(String reason) {
      if (!stopping) {
        outages.began(Outage.Kind.DESTINATION, destination, reason);
      }
    }

    @Override
    public void back() {
      outages.ended(Outage.Kind.DESTINATION, destination);
      wake();
    }
  }

  String destination() {
    return destination;
  }

  /** There may be new rows. */
  void look() {
    signalled = true;
    wake();
  }

  private void wake() {
    signals.release();
  }

  boolean anyOf(int shard) {
    return inHand.anyOf(shard);
  }

  boolean ended() {
    return ended;
  }

  @Override
  public void run() {
    try {
      while (!stopping || inHand.count() > 0 && !aborted) {
        try {
          round();
        } catch (InterruptedException e) {
          LOG.debug("relay of destination '{}' was interrupted", destination);
        } catch (Throwable t) {
          failed(t);
        }
      }
    } finally {
      ended = true;
    }
  }

  private void failed(Throwable t) {
    session.rollback(t);
    // Whatever was read and lost by it is behind the places.
    nextLook = System.nanoTime();
    try {
      if (SqlErrors.in(t) == null) {
        LOG.error("relay of destination '{}' failed; going on", destination, t);
        signals.tryAcquire(200, TimeUnit.MILLISECONDS);
      } else if (database.works(session, System.nanoTime())) {
        LOG.warn("relay of destination '{}' failed; going on: {}", destination, t.toString());
        LOG.debug("the failure in full", t);
        signals.tryAcquire(1, TimeUnit.SECONDS);
      } else {
        session.release();
        database.awaitBack(() -> aborted || stopping);
      }
    } catch (InterruptedException e) {
      LOG.debug("relay of destination '{}' was interrupted", destination);
    }
  }

  private void round() throws SQLException, InterruptedException {
    drain();
    if (marksDue()) {
      mark();
      return;
    }
    boolean reads = !stopping && !marksFail && sending.ready();
    if (reads) {
      Set<Integer> shards = shards();
      if (!shards.isEmpty()) {
        if (System.nanoTime() - nextLook >= 0) {
          fullLook(shards);
          return;
        }
        if (signalled) {
          signalled = false;
          ahead = true;
        }
        if (!paused && roomForMore() && readSome(shards)) {
          return;
        }
      }
    }
    rest(reads);
  }

  private void rest(boolean reads) throws InterruptedException {
    long now = System.nanoTime();
    long nanos = reads ? nextLook - now : pollNanos;
    if (!toMark.isEmpty()) {
      nanos = Math.min(nanos, marksAt() - now);
    }
    if (nanos > 0 && signals.tryAcquire(Math.min(nanos, pollNanos), TimeUnit.NANOSECONDS)) {
      signals.drainPermits();
    }
  }

  private Set<Integer> shards() {
    Set<Integer> now = leases.reading();
    if (!places.keySet().equals(now)) {
      places.keySet().retainAll(now);
      for (int shard : now) {
        if (places.putIfAbsent(shard, 0L) == null) {
          ahead = true;
          due = true;
        }
      }
    }
    return now;
  }

  private boolean roomForMore() {
    int count = inHand.count();
    return count == 0 || count <= MOST_ROWS - READ_ROWS && inHand.bytes() < MOST_BYTES / 2;
  }

  private void fullLook(Set<Integer> shards) throws SQLException {
    long began = System.nanoTime();
    Connection connection = session.get().connection();
    OutboxMessages.Look look =
        outbox.look(connection, destination, arrays(shards)[0], inHand.ids());
    tidy(connection);
    long took = System.nanoTime() - began;
    nextLook = System.nanoTime() + Math.max(pollNanos, (LOOKS_SHARE - 1) * took);
    paused = look.paused();
    due |= look.due();
    ahead |= !look.first().isEmpty();
    for (long[] first : look.first()) {
      places.computeIfPresent((int) first[0], (s, place) -> Math.min(place, first[1] - 1));
    }
    telling.tell(l -> l.succeeded("relay"));
  }

  /** Sent rows that are old enough are forgotten, entries of the books are added up. */
  private void tidy(Connection connection) throws SQLException {
    if (System.nanoTime() - nextTidy < 0) {
      return;
    }
    nextTidy = System.nanoTime() + TIDY_NANOS;
    if (!keepSent.isZero()) {
      outbox.dropSent(connection, keepSent);
    }
    if (untidy) {
      outbox.addUp(connection);
    }
    connection.commit();
    untidy = false;
  }

  /** Each time with another shard in front. */
  private long[][] arrays(Set<Integer> shards) {
    List<Integer> order = new ArrayList<>(shards);
    Collections.sort(order);
    Collections.rotate(order, rotation++);
    return new long[][] {
      order.stream().mapToLong(Integer::longValue).toArray(),
      order.stream().mapToLong(s -> places.getOrDefault(s, 0L)).toArray()
    };
  }

  /** False if there is nothing to be read at this moment. */
  private boolean readSome(Set<Integer> shards) throws SQLException {
    if (due) {
      due = false;
      List<OutboxMessages.Row> rows = readDue(shards);
      if (!rows.isEmpty()) {
        due = true;
        take(rows);
        return true;
      }
    }
    if (!ahead) {
      return false;
    }
    List<OutboxMessages.Row> rows = readAhead(shards);
    if (rows.isEmpty()) {
      ahead = false;
      return false;
    }
    rowsOfAShard =
        rows.size() < READ_ROWS / 2
            ? Math.min(READ_ROWS, 2 * rowsOfAShard)
            : Math.max(2 * READ_ROWS / shards.size(), rowsOfAShard / 2);
    for (OutboxMessages.Row row : rows) {
      places.merge(row.shard(), row.id(), Math::max);
    }
    take(rows);
    return true;
  }

  private List<OutboxMessages.Row> readAhead(Set<Integer> shards) throws SQLException {
    Connection connection = session.get().connection();
    transactions.begin(connection, timeouts);
    List<OutboxMessages.Row> rows =
        outbox.read(connection, destination, arrays(shards), rowsOfAShard, READ_ROWS);
    connection.commit();
    return rows;
  }

  private List<OutboxMessages.Row> readDue(Set<Integer> shards) throws SQLException {
    Connection connection = session.get().connection();
    transactions.begin(connection, timeouts);
    List<OutboxMessages.Row> rows =
        outbox.readDue(connection, destination, arrays(shards)[0], inHand.ids(), READ_ROWS);
    connection.commit();
    return rows;
  }

  private void take(List<OutboxMessages.Row> read) throws SQLException {
    List<OutboxMessages.Row> rows = new ArrayList<>(read.size());
    List<Outgoing> messages = new ArrayList<>(read.size());
    List<OutboxMessages.Refusal> unreadable = new ArrayList<>();
    for (OutboxMessages.Row row : read) {
      if (inHand.has(row.id())) {
        continue;
      }
      try {
        messages.add(row.message());
        rows.add(row);
      } catch (RuntimeException e) {
        // Somebody has inserted what is no message.
        unreadable.add(new OutboxMessages.Refusal(row, null, String.valueOf(e.getMessage())));
      }
    }
    if (!unreadable.isEmpty()) {
      Connection connection = session.get().connection();
      transactions.begin(connection, timeouts);
      outbox.refused(connection, unreadable);
      connection.commit();
      unreadable.forEach(u -> tellRefused(u.row(), u.error(), true));
      Set<String> keys = new java.util.HashSet<>();
      unreadable.forEach(u -> keys.add(u.row().orderingKey()));
      for (int i = rows.size() - 1; i >= 0; i--) {
        // Those behind it wait until somebody has decided about it.
        if (rows.get(i).orderingKey() != null && keys.contains(rows.get(i).orderingKey())) {
          rows.remove(i);
          messages.remove(i);
        }
      }
    }
    if (!rows.isEmpty()) {
      probe.reached(Step.READ);
      inHand.take(rows, messages);
    }
  }

  private void drain() {
    boolean confirmed = false;
    List<InHand.Row> unsent = new ArrayList<>();
    for (InHand.Row row = inHand.pollAnswer(); row != null; row = inHand.pollAnswer()) {
      if (row.answer() instanceof Answer.Unsent) {
        unsent.add(row);
        continue;
      }
      if (toMark.isEmpty()) {
        firstAnswerAt = System.nanoTime();
      }
      toMark.add(row);
      confirmed |= row.answer() instanceof Answer.Confirmed;
    }
    if (!unsent.isEmpty()) {
      unsent.forEach(row -> again(row.stored));
      inHand.done(unsent).forEach(this::again);
    }
    if (confirmed) {
      probe.reached(Step.CONFIRMED);
    }
  }

  /** It is in the table as it was, and is to be read once more. */
  private void again(OutboxMessages.Row row) {
    if (row.later()) {
      due = true;
    } else {
      places.computeIfPresent(row.shard(), (s, place) -> Math.min(place, row.id() - 1));
      ahead = true;
    }
  }

  private long marksAt() {
    return firstAnswerAt + Math.max(ANSWERS_WAIT_NANOS, markPause);
  }

  private boolean marksDue() {
    if (toMark.isEmpty()) {
      return false;
    }
    return !marksFail && (toMark.size() >= ENOUGH_ANSWERS || toMark.size() == inHand.count())
        || System.nanoTime() - marksAt() >= 0;
  }

  /**
   * What was confirmed is removed, what was refused gets its pause; remembered until that works.
   */
  private void mark() throws SQLException {
    List<OutboxMessages.Row> confirmed = new ArrayList<>();
    List<OutboxMessages.Refusal> refused = new ArrayList<>();
    for (InHand.Row row : toMark) {
      Answer answer = row.answer();
      if (answer instanceof Answer.Confirmed) {
        confirmed.add(row.stored);
      } else if (answer instanceof Answer.Later later) {
        refused.add(new OutboxMessages.Refusal(row.stored, pause(row.stored), later.reason()));
      } else if (answer instanceof Answer.Never never) {
        refused.add(new OutboxMessages.Refusal(row.stored, null, never.reason()));
      }
    }
    int missed;
    try {
      Connection connection = session.get().connection();
      transactions.begin(connection, timeouts);
      missed = confirmed.size() - outbox.confirmed(connection, confirmed, !keepSent.isZero());
      missed += refused.size() - outbox.refused(connection, refused);
      connection.commit();
    } catch (SQLException e) {
      marksFailed(e);
      throw e;
    }
    untidy = true;
    marked(confirmed, refused, missed);
    probe.reached(Step.MARKED);
  }

  private void marksFailed(SQLException e) {
    firstAnswerAt = System.nanoTime();
    markPause = Math.min(TimeUnit.SECONDS.toNanos(10), Math.max(200_000_000, 2 * markPause));
    if (!marksFail) {
      marksFail = true;
      if (!SqlErrors.ofConnection(e.getSQLState())) {
        outages.began(
            Outage.Kind.OUTBOX,
            destination,
            "what has left cannot be marked, so nothing more is sent: " + e.getMessage());
      }
    }
  }

  private void marked(
      List<OutboxMessages.Row> confirmed, List<OutboxMessages.Refusal> refused, int missed) {
    if (marksFail) {
      marksFail = false;
      markPause = 0;
      outages.ended(Outage.Kind.OUTBOX, destination);
    }
    List<OutboxMessages.Row> dropped = inHand.done(toMark);
    toMark.clear();
    dropped.forEach(this::again);
    if (missed > 0) {
      LOG.debug(
          "destination '{}': {} rows were marked or edited by somebody else", destination, missed);
    }
    if (!confirmed.isEmpty()) {
      Instant oldest =
          confirmed.stream().map(OutboxMessages.Row::createdAt).min(Instant::compareTo).get();
      Duration age = Duration.between(oldest, Instant.now());
      telling.tell(l -> l.relayed(destination, confirmed.size(), age));
      if (confirmed.stream().anyMatch(r -> r.later() && r.orderingKey() != null)) {
        // Those that it held back are behind the places.
        nextLook = System.nanoTime();
      }
    }
    refused.forEach(r -> tellRefused(r.row(), r.error(), r.pause() == null));
  }

  private void tellRefused(OutboxMessages.Row row, String reason, boolean parked) {
    if (parked || row.attempts() == 0) {
      LOG.warn(
          "message {} for destination '{}' ({}/{}) {}: {}",
          row.messageId(),
          destination,
          row.address(),
          row.routingKey(),
          parked ? "is parked" : "did not leave and is tried again with growing pauses",
          reason);
    }
    telling.tell(l -> l.notRelayed(destination, row.messageId(), reason, parked));
  }

  private Duration pause(OutboxMessages.Row row) {
    long doublings = Math.min(row.attempts(), 10);
    long millis = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << doublings);
    return Duration.ofMillis((long) (millis * (0.8 + 0.4 * random.nextDouble())));
  }

  /** Reads nothing new; the thread ends when nothing is on its way any more. */
  void stop() {
    stopping = true;
    wake();
  }

  /** Does not wait any longer for what is on its way. */
  void abort() {
    aborted = true;
    stopping = true;
    wake();
  }

  /** When the thread has ended. */
  void close() {
    sending.close();
    session.release();
  }
}
