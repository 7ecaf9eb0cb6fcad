package dev.semel.worker.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Semel;
import dev.semel.Worker;
import dev.semel.engine.Engine;
import dev.semel.spi.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The main class of a JVM that lets the events of the outbox out, and does nothing else. */
final class RelayProcess {

  /** The line that tells the parent that it has its share of the outbox. */
  static final String READY = "ready";

  private static final int CONNECTIONS = 4;

  private RelayProcess() {}

  static List<String> args(String schema, @Nullable RelayKill kill) {
    return kill == null
        ? List.of(schema)
        : List.of(schema, kill.moment().name(), Integer.toString(kill.after()));
  }

  /** Arguments: see {@link #args}. */
  public static void main(String[] args) throws Exception {
    ParentWatch parent = ParentWatch.start();
    RelayKill kill =
        args.length == 1
            ? null
            : new RelayKill(RelayMoment.valueOf(args[1]), Integer.parseInt(args[2]));
    try (HikariDataSource pool = WorkerProcess.pool(CONNECTIONS)) {
      Semel.Builder builder = Semel.builder(pool).schema(args[0]);
      WorkerProcess.relaying(builder);
      Worker relay = Engine.of(builder.settings(), new Watch(kill)::reached).start();
      try {
        parent.awaitStop();
      } finally {
        relay.close();
      }
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }

  /** Stops the relay dead at the planned moment: every thread that comes by stays here. */
  private static final class Watch {

    private final @Nullable RelayKill kill;
    private boolean ready;
    private int progress;

    Watch(@Nullable RelayKill kill) {
      this.kill = kill;
    }

    synchronized void reached(Step step) {
      if (step == Step.LEASED && !ready) {
        ready = true;
        say(READY);
      }
      if (kill != null && step == kill.moment().step() && ++progress >= kill.after()) {
        say(Witness.REACHED + kill.moment());
        Witness.freeze();
      }
    }

    private static void say(String line) {
      System.out.println(line);
      System.out.flush();
    }
  }
}
