package dev.semel.worker.demo;

import dev.semel.checker.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One worker's part: publish, run and kill its processes, work off the rest, audit. */
final class Trial {

  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration OUTBOX_LIMIT = Duration.ofSeconds(30);
  private static final int QUIET_LOOKS = 4;
  private static final int LARGEST_BATCH = 20;

  private final Contender contender;
  private final Plan plan;
  private final Stage stage;
  private final Path directory;
  private final Cleanup cleanup;
  private final Progress progress;
  private final Relays relays;
  private int killed;

  Trial(
      Contender contender,
      Plan plan,
      Stage stage,
      Path directory,
      Cleanup cleanup,
      Progress progress) {
    this.contender = contender;
    this.plan = plan;
    this.stage = stage;
    this.directory = directory.resolve(contender.id());
    this.cleanup = cleanup;
    this.progress = progress;
    this.relays = new Relays(plan, stage, this.directory, cleanup);
  }

  Score run(String queueName, Payments payments) throws IOException, SQLException {
    Queue queue = cleanup.add(Queue.declare(stage.amqpUri(), queueName));
    int published = payments.publications().size();
    progress.bar(contender, 0, published, killed);
    try (Recorder recorder = Recorder.open(directory, "producer")) {
      queue.publish(payments.publications(), recorder);
    }
    Queue events = cleanup.add(Queue.declare(stage.amqpUri(), eventsOf(queue)));
    if (contender == Contender.SEMEL) {
      relays.start();
    }
    for (Kill kill : contender.kills(plan)) {
      liveAndDie(queue, published, kill);
    }
    do {
      workOff(queue, published);
    } while (left(queue) > 0);
    letAllOut();
    relays.stop();
    List<Arrival> arrivals = events.drain();
    cleanup.undoNow(events);
    cleanup.undoNow(queue);
    progress.note(contender.title() + ": audit");
    return new Audit(contender, payments.sentTwice())
        .score(directory, stage.database(), arrivals, relays.killed());
  }

  private void liveAndDie(Queue queue, int published, Kill kill) throws IOException {
    Child child = start(queue, kill);
    Patience patience = new Patience();
    String line = null;
    while (line == null) {
      relays.look();
      int depth = queue.depth();
      progress.bar(contender, published - depth, published, killed);
      line = child.line(LOOK);
      if (line == null) {
        patience.check(child, depth);
      }
    }
    if (!line.startsWith(Witness.REACHED + kill.moment() + " ")) {
      throw new DemoException("a worker says something unexpected: " + line);
    }
    child.kill();
    int status = child.exitStatus();
    cleanup.undoNow(child);
    if (status != Child.KILLED) {
      throw new DemoException(
          "a worker was killed, but ended with " + status + " instead of " + Child.KILLED);
    }
    killed++;
  }

  /** What has no effect yet. */
  private int left(Queue queue) throws IOException, SQLException {
    return queue.depth() + (contender == Contender.SEMEL ? stage.database().waiting() : 0);
  }

  private void workOff(Queue queue, int published) throws IOException, SQLException {
    Child child = start(queue, null);
    Patience patience = new Patience();
    int quiet = 0;
    while (quiet < QUIET_LOOKS) {
      relays.look();
      int depth = left(queue);
      quiet = depth == 0 ? quiet + 1 : 0;
      progress.bar(contender, published - depth, published, killed);
      child.line(LOOK);
      patience.check(child, depth);
    }
    child.stop();
    int status = child.exitStatus();
    cleanup.undoNow(child);
    if (status != 0) {
      throw new DemoException("a worker ended with " + status + "\n" + child.logTail());
    }
  }

  /**
   * Waits until the outbox is empty. What does not leave, though nobody is killed any more, is not
   * waited for without end: the audit finds it lost.
   */
  private void letAllOut() throws IOException, SQLException {
    int last = -1;
    long since = System.nanoTime();
    while (last != 0 && System.nanoTime() - since < OUTBOX_LIMIT.toNanos()) {
      relays.look();
      int inside = stage.database().eventsInside();
      progress.note(contender.title() + ": " + inside + " events have to leave");
      if (inside != last) {
        last = inside;
        since = System.nanoTime();
      }
      if (inside > 0) {
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", e);
    }
  }

  private static String eventsOf(Queue queue) {
    return queue.name() + "-events";
  }

  private Child start(Queue queue, @Nullable Kill kill) throws IOException {
    boolean steps = plan.oneAtATime() && contender == Contender.SEMEL;
    Assignment assignment =
        new Assignment(
            contender,
            queue.name(),
            eventsOf(queue),
            stage.database().schema(),
            stage.database().effects(contender),
            directory,
            Math.max(1, Math.min(LARGEST_BATCH, plan.messagesPerLife() / 5)),
            steps,
            kill);
    return cleanup.add(
        Child.start(
            new Child.Spec(
                WorkerProcess.class,
                steps ? List.of("-Xmx64m", "-Dsemel.log=INFO") : List.of("-Xmx64m"),
                assignment.args(),
                stage.environment(),
                directory.resolve("worker.log"),
                steps)));
  }
}
