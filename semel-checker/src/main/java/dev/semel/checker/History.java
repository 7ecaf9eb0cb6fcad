package dev.semel.checker;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything that the recorders of a directory have written down. Immutable.
 *
 * <p>Events of one file stand in the order of the file. Events of different files stand in the
 * order of their times, which is as good as the clocks of the processes and no better; nothing that
 * is judged as certain rests on it.
 */
public final class History {
  private final List<HistoryFile> files;
  private final List<HistoryFile> workers;
  private final List<Recorded> events;
  private final Map<String, List<Recorded>> byKey;
  private final Map<Event, Integer> counts;

  private History(List<HistoryFile> files) {
    this.files = List.copyOf(files);
    this.workers = files.stream().filter(HistoryFile::ofWorker).toList();
    List<Recorded> all = new ArrayList<>();
    files.forEach(file -> all.addAll(file.events()));
    // Times never decrease within a file and this sort is stable, so it keeps the order of each
    // file.
    all.sort(Comparator.comparingLong(Recorded::micros));
    Map<String, List<Recorded>> index = new LinkedHashMap<>();
    Map<Event, Integer> number = new EnumMap<>(Event.class);
    for (Recorded event : all) {
      index.computeIfAbsent(event.key(), key -> new ArrayList<>(4)).add(event);
      number.merge(event.event(), 1, Integer::sum);
    }
    index.replaceAll((key, list) -> List.copyOf(list));
    this.events = Collections.unmodifiableList(all);
    this.byKey = Collections.unmodifiableMap(index);
    this.counts = number;
  }

  /**
   * Reads all history files of a directory. A process that was killed while it wrote leaves a torn
   * last line; it is left out, since the call that wrote it never returned.
   *
   * @param directory where the recorders wrote
   * @return what they wrote
   * @throws MalformedHistoryException if a line other than a torn last one cannot be read
   * @throws IOException if a file cannot be read
   */
  public static History read(Path directory) throws IOException {
    List<Path> paths = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*" + Recorder.SUFFIX)) {
      found.forEach(paths::add);
    }
    Collections.sort(paths);
    List<HistoryFile> files = new ArrayList<>();
    for (Path path : paths) {
      files.add(HistoryFile.read(path));
    }
    return new History(files);
  }

  /**
   * All events.
   *
   * @return the events in order
   */
  public List<Recorded> events() {
    return events;
  }

  /**
   * The events of one message, for all consumers.
   *
   * @param key the identity of the message
   * @return its events in order; empty if the key was never recorded
   */
  public List<Recorded> events(String key) {
    return byKey.getOrDefault(key, List.of());
  }

  /**
   * All keys that were recorded.
   *
   * @return the keys, in the order in which they first appear
   */
  public Set<String> keys() {
    return byKey.keySet();
  }

  /**
   * How often an event was recorded.
   *
   * @param event the event
   * @return its number, over all consumers
   */
  public int count(Event event) {
    return counts.getOrDefault(event, 0);
  }

  /**
   * The files that were read.
   *
   * @return their names, sorted
   */
  public List<String> files() {
    return files.stream().map(HistoryFile::name).toList();
  }

  /**
   * The files that end in the middle of a line: their processes were killed while they wrote, or
   * are still writing.
   *
   * @return their names, sorted
   */
  public List<String> tornFiles() {
    return files.stream().filter(HistoryFile::torn).map(HistoryFile::name).toList();
  }

  /**
   * Whether a process other than the event's had fallen silent before it: it may have died with
   * something unrecorded.
   */
  boolean workerFellSilentBefore(Recorded event) {
    return workers.stream()
        .filter(file -> !file.name().equals(event.file()))
        .map(file -> file.events().get(file.events().size() - 1))
        .anyMatch(last -> last.micros() < event.micros());
  }
}
