package dev.semel.engine;

import dev.semel.Outgoing;
import dev.semel.spi.Answer;
import dev.semel.spi.Probe;
import dev.semel.spi.Promise;
import dev.semel.spi.Sending;
import dev.semel.spi.Step;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a relay has read and not yet done with, and their answers. Of one ordering key only
 * the first is with the sender; the next one goes as soon as it is confirmed, without a look at the
 * database between them. A row leaves only when its answer is marked: until then those behind it
 * know that it is there. Safe for use by many threads.
 */
final class InHand {

  private final IntPredicate mayBeSent;
  private final Runnable answered;
  private final Probe probe;
  private final Map<Long, Row> rows = new HashMap<>();
  private final Map<String, Deque<Row>> byKey = new HashMap<>();
  private final ConcurrentLinkedQueue<Row> answers = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Sending sending;
  private long bytes;

  /**
   * @param mayBeSent whether rows of a shard may still be sent
   * @param answered is run when there is an answer
   */
  InHand(IntPredicate mayBeSent, Runnable answered, Probe probe) {
    this.mayBeSent = mayBeSent;
    this.answered = answered;
    this.probe = probe;
  }

  void sendBy(Sending by) {
    this.sending = by;
  }

  /** One row on its way. */
  final class Row implements Promise {

    final OutboxMessages.Row stored;
    private final Outgoing message;
    private volatile @Nullable Answer answer;

    private Row(OutboxMessages.Row stored, Outgoing message) {
      this.stored = stored;
      this.message = message;
    }

    Answer answer() {
      return java.util.Objects.requireNonNull(answer);
    }

    @Override
    public Outgoing message() {
      return message;
    }

    @Override
    public UUID id() {
      return stored.messageId();
    }

    @Override
    public String messageId() {
      return stored.idOutside();
    }

    @Override
    public int attempt() {
      return stored.attempts() + 1;
    }

    @Override
    public Instant createdAt() {
      return stored.createdAt();
    }

    @Override
    public boolean maySend() {
      return mayBeSent.test(stored.shard());
    }

    @Override
    public void sent() {
      probe.reached(Step.SENT);
    }

    @Override
    public void answer(Answer given) {
      Row next = null;
      synchronized (InHand.this) {
        if (answer != null) {
          return;
        }
        answer = given;
        if (given instanceof Answer.Confirmed && stored.orderingKey() != null) {
          next = nextOf(stored.orderingKey(), this);
        }
        answers.add(this);
      }
      Sending by = sending;
      if (next != null && by != null) {
        by.send(List.of(next));
      }
      answered.run();
    }
  }

  private @Nullable Row nextOf(String key, Row done) {
    Deque<Row> queue = byKey.get(key);
    if (queue == null || queue.peek() != done) {
      return null;
    }
    queue.poll();
    if (queue.isEmpty()) {
      byKey.remove(key);
    }
    return queue.peek();
  }

  synchronized boolean has(long id) {
    return rows.containsKey(id);
  }

  synchronized int count() {
    return rows.size();
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized boolean anyOf(int shard) {
    return rows.values().stream().anyMatch(r -> r.stored.shard() == shard);
  }

  synchronized long[] ids() {
    return rows.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /** Takes rows that were read; those that may go at once are given to the sender. */
  void take(List<OutboxMessages.Row> read, List<Outgoing> messages) {
    List<Row> now = new ArrayList<>(read.size());
    synchronized (this) {
      for (int i = 0; i < read.size(); i++) {
        Row row = new Row(read.get(i), messages.get(i));
        rows.put(row.stored.id(), row);
        bytes += row.stored.body().length;
        String key = row.stored.orderingKey();
        if (key == null) {
          now.add(row);
        } else {
          Deque<Row> queue = byKey.computeIfAbsent(key, k -> new ArrayDeque<>());
          queue.add(row);
          if (queue.size() == 1) {
            now.add(row);
          }
        }
      }
    }
    Sending by = sending;
    if (!now.isEmpty() && by != null) {
      by.send(now);
    }
  }

  /** The next row with an answer; it stays in hand until {@link #done}. */
  @Nullable Row pollAnswer() {
    return answers.poll();
  }

  /**
   * The answers of these rows are marked, or need no mark.
   *
   * @return rows that were behind one that did not leave: they are let go of unsent, too
   */
  synchronized List<OutboxMessages.Row> done(List<Row> marked) {
    List<OutboxMessages.Row> dropped = new ArrayList<>();
    Set<String> broken = new HashSet<>();
    for (Row row : marked) {
      remove(row);
      if (row.stored.orderingKey() != null && !(row.answer() instanceof Answer.Confirmed)) {
        broken.add(row.stored.orderingKey());
      }
    }
    for (String key : broken) {
      Deque<Row> behind = byKey.remove(key);
      if (behind != null) {
        for (Row row : behind) {
          if (rows.containsKey(row.stored.id())) {
            remove(row);
            dropped.add(row.stored);
          }
        }
      }
    }
    return dropped;
  }

  private void remove(Row row) {
    if (rows.remove(row.stored.id()) != null) {
      bytes -= row.stored.body().length;
    }
  }
}
