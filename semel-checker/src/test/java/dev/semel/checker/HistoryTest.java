package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class HistoryTest {
  private static final String FIRST = "1\t1\t10\tPUBLISHED\t\tk1\t\n";
  private static final String SECOND = "1\t2\t20\tENTERED\tc\tk1\t\n";

  @TempDir Path directory;

  @Test
  void keepsTheOrderOfAFileAndMergesFilesByTime() throws IOException {
    write("a", FIRST + SECOND + "1\t3\t20\tCOMMITTED\tc\tk1\t\n" + "1\t4\t40\tENTERED\tc\tk2\t\n");
    write("b", "1\t1\t5\tENTERED\tc\tk2\t\n" + "1\t2\t30\tACKNOWLEDGED\tc\tk1\tlate\n");
    write("c.txt", "not a history");
    Files.move(directory.resolve("c.txt.history"), directory.resolve("c.txt"));

    History history = History.read(directory);

    assertThat(history.files()).containsExactly("a.history", "b.history");
    assertThat(history.keys()).containsExactly("k2", "k1");
    assertThat(history.events("k1"))
        .extracting(Recorded::event)
        .containsExactly(Event.PUBLISHED, Event.ENTERED, Event.COMMITTED, Event.ACKNOWLEDGED);
    assertThat(history.events("k1").get(3))
        .isEqualTo(new Recorded("b.history", 2, 30, Event.ACKNOWLEDGED, "c", "k1", "late"));
    assertThat(history.events("k2"))
        .extracting(Recorded::file)
        .containsExactly("b.history", "a.history");
    assertThat(history.events("k3")).isEmpty();
    assertThat(history.events()).hasSize(6);
    assertThat(history.count(Event.ENTERED)).isEqualTo(3);
    assertThat(history.count(Event.UNKNOWN)).isZero();
  }

  @Test
  void isImmutable() throws IOException {
    write("a", FIRST);
    History history = History.read(directory);
    assertThatThrownBy(() -> history.events().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> history.events("k1").clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> history.keys().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void forgivesATornLastLineWhereverItIsTorn() throws IOException {
    byte[] last = "1\t2\t20\tENTERED\tc\t\u00e9\t\n".getBytes(StandardCharsets.UTF_8);
    for (int length = 1; length < last.length; length++) {
      Path file = write("a", FIRST);
      try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
        out.write(last, 0, length);
      }
      History history = History.read(directory);
      assertThat(history.keys()).as("%d bytes", length).containsExactly("k1");
      assertThat(history.tornFiles()).as("%d bytes", length).containsExactly("a.history");
    }
  }

  @Test
  void aWholeFileIsNotTorn() throws IOException {
    write("a", FIRST + SECOND);
    write("empty", "");
    assertThat(History.read(directory).tornFiles()).isEmpty();
  }

  @Test
  void namesFileAndLineOfAnyOtherStrangeLine() throws IOException {
    malformed(2, FIRST + "1\t2\t20\tENT\n" + "1\t3\t30\tENTERED\tc\tk1\t\n");
    malformed(2, FIRST + "\n");
    malformed(1, "half a line\n" + FIRST);
  }

  @Test
  void noticesALineThatIsMissing() throws IOException {
    malformed(1, SECOND);
    malformed(2, FIRST + FIRST);
  }

  @Test
  void noticesTimeThatGoesBackwards() throws IOException {
    malformed(2, FIRST + "1\t2\t9\tENTERED\tc\tk1\t\n");
  }

  @Test
  void noticesBytesThatAreNotUtf8() throws IOException {
    Path file = directory.resolve("a.history");
    Files.write(
        file, (FIRST + "1\t2\t20\tENTERED\tc\t\u00ff\t\n").getBytes(StandardCharsets.ISO_8859_1));
    assertThatExceptionOfType(MalformedHistoryException.class)
        .isThrownBy(() -> History.read(directory))
        .satisfies(e -> assertThat(e.line()).isEqualTo(2));
  }

  @Test
  @Timeout(30)
  void readsHundredsOfThousandsOfEvents() throws IOException {
    int keys = 100_000;
    Path file = directory.resolve("a.history");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (int i = 0; i < 4 * keys; i++) {
        Event event = Event.values()[i % 4];
        out.write(Line.encode(new Recorded("", i + 1, i, event, "c", "key-" + i / 4, "")));
      }
    }
    History history = History.read(directory);
    assertThat(history.keys()).hasSize(keys);
    assertThat(history.events()).hasSize(4 * keys);
    assertThat(history.count(Event.ENTERED)).isEqualTo(keys);
  }

  private void malformed(long line, String text) throws IOException {
    write("a", text);
    assertThatExceptionOfType(MalformedHistoryException.class)
        .isThrownBy(() -> History.read(directory))
        .withMessageStartingWith("a.history, line " + line + ": ")
        .satisfies(
            e -> {
              assertThat(e.file()).isEqualTo("a.history");
              assertThat(e.line()).isEqualTo(line);
            });
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name + ".history"), text);
  }
}
