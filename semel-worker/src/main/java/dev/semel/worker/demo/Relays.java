package dev.semel.worker.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Processes that let events out beside the workers. Each is killed at its planned moment and
 * replaced, until no kill is left.
 */
final class Relays {

  private static final int PROCESSES = 2;
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration END_LIMIT = Duration.ofSeconds(20);

  private final Stage stage;
  private final Path directory;
  private final Cleanup cleanup;
  private final Deque<RelayKill> planned;
  private final List<Life> living = new ArrayList<>();
  private int killed;

  /** One process, and where it is to be killed. */
  private record Life(Child child, @Nullable RelayKill kill) {}

  Relays(Plan plan, Stage stage, Path directory, Cleanup cleanup) {
    this.planned = new ArrayDeque<>(RelayKill.of(plan));
    this.stage = stage;
    this.directory = directory;
    this.cleanup = cleanup;
  }

  /** Returns when all have their share of the outbox, so that the first event is theirs. */
  void start() throws IOException {
    for (int i = 0; i < PROCESSES; i++) {
      living.add(begin());
    }
    for (Life each : living) {
      if (!RelayProcess.READY.equals(each.child().line(START_LIMIT))) {
        throw new DemoException("a relay does not start\n" + each.child().logTail());
      }
    }
  }

  private Life begin() throws IOException {
    RelayKill kill = planned.poll();
    Child child =
        Child.start(
            new Child.Spec(
                RelayProcess.class,
                List.of("-Xmx64m"),
                RelayProcess.args(stage.database().schema(), kill),
                stage.environment(),
                directory.resolve("relay.log"),
                false));
    return new Life(cleanup.add(child), kill);
  }

  /** Kills those that have come to their moment, and starts others. */
  void look() throws IOException {
    for (int i = 0; i < living.size(); i++) {
      Life life = living.get(i);
      if (says(life, Duration.ZERO)) {
        kill(life);
        living.set(i, begin());
      } else if (!life.child().isAlive()) {
        throw new DemoException("a relay ended by itself\n" + life.child().logTail());
      }
    }
  }

  /** Whether it has come to its moment. */
  private static boolean says(Life life, Duration limit) {
    String line = life.child().line(limit);
    while (RelayProcess.READY.equals(line)) {
      line = life.child().line(limit);
    }
    if (line == null) {
      return false;
    }
    if (life.kill() == null || !line.equals(Witness.REACHED + life.kill().moment())) {
      throw new DemoException("a relay says something unexpected: " + line);
    }
    return true;
  }

  private void kill(Life life) {
    life.child().kill();
    int status = life.child().exitStatus();
    cleanup.undoNow(life.child());
    if (status != Child.KILLED) {
      throw new DemoException(
          "a relay was killed, but ended with " + status + " instead of " + Child.KILLED);
    }
    killed++;
  }

  int killed() {
    return killed;
  }

  /** Ends them in peace; one that has come to its moment just now does not hear of it. */
  void stop() {
    for (Life each : living) {
      each.child().stop();
      if (says(each, END_LIMIT)) {
        kill(each);
        continue;
      }
      int status = each.child().exitStatus();
      cleanup.undoNow(each.child());
      if (status != 0) {
        throw new DemoException("a relay ended with " + status + "\n" + each.child().logTail());
      }
    }
    living.clear();
  }
}
