package dev.semel.checker;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * Writes down what a process does with messages, in a file of its own that is only appended to.
 *
 * <p>An event is one line, and the operating system has it before the method returns: it survives a
 * SIGKILL of the process at any later point. It is not forced to the disk; a crash of the machine
 * is not the subject. Safe for use by many threads, interrupted ones included.
 */
public final class Recorder implements AutoCloseable {
  static final String SUFFIX = ".history";

  private static final DateTimeFormatter OPENED =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.nnnnnnnnn'Z'").withZone(ZoneOffset.UTC);

  private final Path file;
  private final OutputStream out;
  private final InstantSource clock;
  private boolean usable = true;
  private long sequence;
  private long micros;

  Recorder(Path file, OutputStream out, InstantSource clock) {
    this.file = file;
    this.out = out;
    this.clock = clock;
  }

  /**
   * Starts a new file. Its name holds the name of the process, its pid and this instant, so a
   * process that starts again never writes into the file of its forerunner; should the name exist
   * all the same, this fails.
   *
   * @param directory where the history is kept; created if it is missing
   * @param process a name for a reader: letters, digits, dots, dashes and underscores
   * @return the recorder of this process
   * @throws IOException if the file cannot be created
   */
  public static Recorder open(Path directory, String process) throws IOException {
    return open(directory, process, InstantSource.system());
  }

  static Recorder open(Path directory, String process, InstantSource clock) throws IOException {
    if (!process.matches("[A-Za-z0-9._-]+")) {
      throw new IllegalArgumentException(
          "A process is named with letters, digits, dots, dashes and underscores: " + process);
    }
    Files.createDirectories(directory);
    String name =
        String.join(
            "-",
            process,
            Long.toString(ProcessHandle.current().pid()),
            OPENED.format(clock.instant()) + SUFFIX);
    // Creating is exclusive, appending comes after it. No channel: an interrupt of the thread would
    // close it.
    Path file = Files.createFile(directory.resolve(name));
    return new Recorder(file, new FileOutputStream(file.toFile(), true), clock);
  }

  /**
   * Records that the broker has confirmed a copy, for all consumers.
   *
   * @param key the identity of the message
   */
  public void published(String key) {
    record(Event.PUBLISHED, "", key);
  }

  /**
   * Records an event without a detail.
   *
   * @param event what happened
   * @param consumer the consumer that it happened to
   * @param key the identity of the message
   */
  public void record(Event event, String consumer, String key) {
    record(event, consumer, key, "");
  }

  /**
   * Records an event.
   *
   * @param event what happened
   * @param consumer the consumer that it happened to
   * @param key the identity of the message
   * @param detail anything that helps a reader
   * @throws UncheckedIOException if the line could not be written; the recorder takes no more then
   * @throws IllegalStateException if the recorder is closed, or an earlier line could not be
   *     written
   */
  public synchronized void record(Event event, String consumer, String key, String detail) {
    if (!usable) {
      throw new IllegalStateException(
          file + " takes no more events: it was closed, or a line could not be written");
    }
    // The wall clock may be set back; the order within a file must not be.
    long now = Math.max(micros, ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant()));
    byte[] line =
        Line.encode(
            new Recorded(
                file.getFileName().toString(), sequence + 1, now, event, consumer, key, detail));
    // After half a line nothing may follow, for a reader forgives a torn line only at the end.
    usable = false;
    try {
      out.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot record in " + file, e);
    }
    usable = true;
    sequence++;
    micros = now;
  }

  /**
   * The file of this recorder.
   *
   * @return the path of the file
   */
  public Path file() {
    return file;
  }

  /**
   * Ends the file. A second call does nothing.
   *
   * @throws IOException if the file cannot be closed
   */
  @Override
  public synchronized void close() throws IOException {
    usable = false;
    out.close();
  }
}
