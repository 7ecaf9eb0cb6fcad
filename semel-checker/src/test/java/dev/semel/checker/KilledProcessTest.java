package dev.semel.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a recorder's method has returned from is in the file, although the process was killed. */
final class KilledProcessTest {
  private static final int SIGKILLED = 128 + 9;

  @TempDir Path directory;

  /** Records, says so, and so on until it is killed. */
  static final class Child {
    public static void main(String[] arguments) throws IOException {
      try (Recorder recorder = Recorder.open(Path.of(arguments[0]), "child")) {
        for (int i = 0; ; i++) {
          recorder.published("k" + i);
          System.out.println("k" + i);
        }
      }
    }
  }

  @Test
  @Timeout(60)
  void everythingThatWasRecordedSurvivesSigkill() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                home(Recorder.class) + File.pathSeparator + home(Child.class),
                Child.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> said = new ArrayList<>();
    try (BufferedReader output = child.inputReader()) {
      for (int i = 0; i < 200; i++) {
        said.add(output.readLine());
      }
      // By its handle: the process' own method would close the pipe as well.
      child.toHandle().destroyForcibly();
      // What is still in the pipe was said before the kill; its last line may be torn.
      StringBuilder rest = new StringBuilder();
      for (int c = output.read(); c >= 0; c = output.read()) {
        rest.append((char) c);
      }
      String whole = rest.substring(0, rest.lastIndexOf("\n") + 1);
      whole.lines().forEach(said::add);
    } finally {
      child.destroyForcibly();
    }

    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isEqualTo(SIGKILLED);
    List<String> recorded = List.copyOf(History.read(directory).keys());
    assertThat(said).hasSizeGreaterThanOrEqualTo(200).doesNotContainNull();
    assertThat(recorded).hasSizeGreaterThanOrEqualTo(said.size());
    assertThat(recorded.subList(0, said.size())).isEqualTo(said);
  }

  private static String home(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}
