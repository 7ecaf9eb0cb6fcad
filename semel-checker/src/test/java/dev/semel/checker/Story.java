package dev.semel.checker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tells a history through real recorders and real files, one for each process that is named. */
final class Story {
  static final String CONSUMER = "payments";

  private final Path directory;
  private final TickingClock clock = new TickingClock();
  private final Map<String, Recorder> recorders = new LinkedHashMap<>();

  Story(Path directory) {
    this.directory = directory;
  }

  Story published(String... keys) {
    for (String key : keys) {
      recorder("producer").published(key);
    }
    return this;
  }

  /** The events of one key in one process, in order. */
  Story in(String process, String key, Event... events) {
    for (Event event : events) {
      recorder(process).record(event, CONSUMER, key);
    }
    return this;
  }

  /** A clean run of each key: entered, committed, acknowledged. */
  Story applied(String process, String... keys) {
    for (String key : keys) {
      in(process, key, Event.ENTERED, Event.COMMITTED, Event.ACKNOWLEDGED);
    }
    return this;
  }

  Judge judge(String... effects) throws IOException {
    for (Recorder recorder : recorders.values()) {
      recorder.close();
    }
    return Judge.of(History.read(directory), CONSUMER).effects(Tally.of(List.of(effects)));
  }

  private Recorder recorder(String process) {
    return recorders.computeIfAbsent(
        process,
        name -> {
          try {
            return Recorder.open(directory, name, clock);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
