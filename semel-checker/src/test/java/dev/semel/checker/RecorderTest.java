package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecorderTest {
  @TempDir Path directory;

  @Test
  void writesALineThatAPersonCanRead() throws IOException {
    InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(1, 234_567_891));
    try (Recorder recorder = Recorder.open(directory, "worker-1", clock)) {
      recorder.record(Event.ENTERED, "payments", "k\t1", "lane 3");

      assertThat(Files.readString(recorder.file()))
          .isEqualTo("1\t1\t1234567\tENTERED\tpayments\tk\\t1\tlane 3\n");
      assertThat(recorder.file().getFileName().toString())
          .isEqualTo(
              "worker-1-" + ProcessHandle.current().pid() + "-19700101T000001.234567891Z.history");
    }
  }

  @Test
  void theLineIsInTheFileBeforeTheMethodReturns() throws IOException {
    try (Recorder recorder = Recorder.open(directory, "worker")) {
      for (int i = 1; i <= 3; i++) {
        recorder.published("k" + i);
        assertThat(History.read(directory).events()).hasSize(i);
      }
    }
  }

  @Test
  void writesEachLineWithOneCall() throws IOException {
    List<Integer> sizes = new ArrayList<>();
    OutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            sizes.add(length);
          }
        };
    try (Recorder recorder = new Recorder(Path.of("f"), out, new TickingClock())) {
      recorder.published("a");
      recorder.published("b".repeat(100_000));
    }
    assertThat(sizes).hasSize(2);
  }

  @Test
  void aProcessThatStartsAgainHasAFileOfItsOwn() throws IOException {
    TickingClock clock = new TickingClock();
    for (String key : List.of("a", "b")) {
      try (Recorder recorder = Recorder.open(directory, "worker", clock)) {
        recorder.published(key);
      }
    }

    History history = History.read(directory);
    assertThat(history.files()).hasSize(2);
    assertThat(history.keys()).containsExactly("a", "b");
  }

  @Test
  void neverWritesIntoAFileThatIsThere() throws IOException {
    InstantSource stopped = InstantSource.fixed(Instant.EPOCH);
    try (Recorder first = Recorder.open(directory, "worker", stopped)) {
      first.published("a");

      assertThatThrownBy(() -> Recorder.open(directory, "worker", stopped))
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThat(History.read(directory).keys()).containsExactly("a");
    }
  }

  @Test
  void refusesANameThatIsNoFileName() {
    assertThatIllegalArgumentException().isThrownBy(() -> Recorder.open(directory, "../worker"));
  }

  @Test
  void aClockThatIsSetBackDoesNotTurnTheOrder() throws IOException {
    Deque<Instant> times =
        new ArrayDeque<>(
            List.of(Instant.EPOCH, Instant.ofEpochSecond(9), Instant.ofEpochSecond(5)));
    try (Recorder recorder = Recorder.open(directory, "worker", times::remove)) {
      recorder.published("a");
      recorder.published("b");
    }
    assertThat(History.read(directory).events())
        .extracting(Recorded::micros)
        .containsExactly(9_000_000L, 9_000_000L);
  }

  @Test
  void manyThreadsShareOneRecorder() throws Exception {
    int threads = 8;
    int each = 500;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Recorder recorder = Recorder.open(directory, "worker")) {
      List<Callable<Void>> writers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        String name = "t" + t;
        writers.add(
            () -> {
              for (int i = 0; i < each; i++) {
                recorder.published(name + "-" + i);
              }
              return null;
            });
      }
      for (Future<Void> written : pool.invokeAll(writers)) {
        written.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(History.read(directory).keys()).hasSize(threads * each);
  }

  @Test
  void anInterruptedThreadRecordsLikeAnyOther() throws IOException {
    try (Recorder recorder = Recorder.open(directory, "worker")) {
      Thread.currentThread().interrupt();
      recorder.published("a");
      recorder.published("b");
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(History.read(directory).keys()).containsExactly("a", "b");
  }

  @Test
  void afterAFailedLineNothingFollows() throws IOException {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    try (Recorder recorder = new Recorder(Path.of("f"), full, new TickingClock())) {
      assertThatThrownBy(() -> recorder.published("a")).isInstanceOf(UncheckedIOException.class);
      assertThatIllegalStateException().isThrownBy(() -> recorder.published("b"));
    }
  }

  @Test
  void takesNothingAfterItIsClosed() throws IOException {
    Recorder recorder = Recorder.open(directory, "worker");
    recorder.close();
    recorder.close();
    assertThatIllegalStateException().isThrownBy(() -> recorder.published("a"));
  }
}
