package dev.semel.worker.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The whole story: three workers in turn, killed at the same kinds of moments; and the events of
 * the last one, whose relays are killed too.
 */
public final class Demo {

  private final Plan plan;
  private final Servers servers;
  private final Progress progress;

  /**
   * A demo to be played.
   *
   * @param plan what is played
   * @param servers where
   * @param progress who watches
   */
  public Demo(Plan plan, Servers servers, Progress progress) {
    this.plan = plan;
    this.servers = servers;
    this.progress = progress;
  }

  /**
   * Plays it. Everything that was started is gone afterwards, also after a failure or Ctrl-C.
   *
   * @return what was found
   * @throws DemoException if it cannot be played to its end
   */
  public DemoResult play() {
    long start = System.nanoTime();
    try (Cleanup cleanup = new Cleanup()) {
      Path directory = Files.createTempDirectory("semel-demo-");
      cleanup.add(() -> delete(directory));
      progress.note("starting PostgreSQL and the broker");
      Stage stage = Stage.build(servers, directory, cleanup);
      progress.say("seed " + plan.seed());
      Payments payments = Payments.of(plan);
      Map<Contender, Score> scores = new EnumMap<>(Contender.class);
      for (Contender each : Contender.values()) {
        String queue = directory.getFileName() + "-" + each.id();
        Trial trial = new Trial(each, plan, stage, directory, cleanup, progress);
        scores.put(each, trial.run(queue, payments));
      }
      progress.note("tidying up");
      return new DemoResult(plan, payments.publications().size(), scores, start);
    } catch (IOException | SQLException e) {
      throw new DemoException("a server of the demo failed: " + e.getMessage(), e);
    } finally {
      progress.clear();
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path each : deepestFirst) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
