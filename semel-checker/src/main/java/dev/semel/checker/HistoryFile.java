package dev.semel.checker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What one process has recorded; {@code torn} if it ends in the middle of a line. */
record HistoryFile(String name, List<Recorded> events, boolean torn) {

  static HistoryFile read(Path path) throws IOException {
    return parse(path.getFileName().toString(), Files.readAllBytes(path));
  }

  private static HistoryFile parse(String name, byte[] bytes) throws IOException {
    // A new decoder reports bytes that are not UTF-8; new String(...) would put a question mark and
    // go on.
    CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
    List<Recorded> events = new ArrayList<>();
    long micros = Long.MIN_VALUE;
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != '\n') {
        continue;
      }
      int number = events.size() + 1;
      try {
        String line = utf8.decode(ByteBuffer.wrap(bytes, start, i - start)).toString();
        Recorded event = Line.decode(name, line);
        requireInOrder(event, number, micros);
        events.add(event);
        micros = event.micros();
      } catch (IllegalArgumentException | CharacterCodingException e) {
        throw new MalformedHistoryException(name, number, e);
      }
      start = i + 1;
    }
    return new HistoryFile(name, events, start < bytes.length);
  }

  private static void requireInOrder(Recorded event, int number, long micros) {
    if (event.sequence() != number) {
      throw new IllegalArgumentException(
          "sequence "
              + event.sequence()
              + " instead of "
              + number
              + "; lines are missing or strange");
    }
    if (event.micros() < micros) {
      throw new IllegalArgumentException("earlier than the line before it");
    }
  }

  /**
   * A file that holds publishing alone belongs to a producer, which parks and acknowledges nothing.
   */
  boolean ofWorker() {
    return events.stream().anyMatch(event -> event.event() != Event.PUBLISHED);
  }
}
