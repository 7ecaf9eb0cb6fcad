package dev.semel.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A growing text file, read piece by piece as it grows. */
final class TailedFile {

  private final Path path;
  private final List<String> lines = new ArrayList<>();
  private byte[] unfinished = new byte[0];
  private long offset;

  TailedFile(Path path) {
    this.path = path;
  }

  /** The lines that have their line break. */
  synchronized List<String> lines() throws IOException {
    readMore();
    return List.copyOf(lines);
  }

  synchronized @Nullable String first(Pattern pattern) throws IOException {
    readMore();
    return lines.stream().filter(line -> pattern.matcher(line).find()).findFirst().orElse(null);
  }

  synchronized String tail(int count) {
    try {
      readMore();
    } catch (IOException e) {
      return "(could not be read: " + e + ")";
    }
    String last = new String(unfinished, StandardCharsets.UTF_8);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()))
        + (last.isEmpty() ? "" : "\n" + last);
  }

  private void readMore() throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path)) {
      int size = Math.toIntExact(channel.size() - offset);
      ByteBuffer buffer = ByteBuffer.allocate(unfinished.length + size);
      buffer.put(unfinished);
      while (buffer.hasRemaining()) {
        int n = channel.read(buffer, offset);
        if (n < 0) {
          break;
        }
        offset += n;
      }
      split(buffer.array(), buffer.position());
    }
  }

  private void split(byte[] bytes, int length) {
    int start = 0;
    for (int at = 0; at < length; at++) {
      if (bytes[at] == '\n') {
        lines.add(new String(bytes, start, at - start, StandardCharsets.UTF_8));
        start = at + 1;
      }
    }
    unfinished = Arrays.copyOfRange(bytes, start, length);
  }
}
