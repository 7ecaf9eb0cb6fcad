package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** Says what it was given, then counts until it is ended. */
  public static final class Counting {
    public static void main(String[] args) throws Exception {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran")));
      System.err.println("complaint");
      System.out.println(
          "args " + List.of(args) + " " + System.getProperty("p") + " " + System.getenv("E"));
      System.out.println("max " + Runtime.getRuntime().maxMemory());
      if (args.length > 1) {
        System.exit(Integer.parseInt(args[1]));
      }
      System.out.println("ready");
      while (System.in.available() == 0) {
        Thread.sleep(10);
        System.out.println("tick");
      }
    }
  }

  /** Starts a PostgreSQL and a child, and tells their process ids. */
  public static final class Parent {
    public static void main(String[] args) throws Exception {
      PostgresServer.start();
      if (args.length > 0) {
        RabbitNode.start();
      }
      ChildJvm child = ChildJvm.builder(Counting.class).args("x").start();
      child.awaitLine("ready", LIMIT);
      ProcessHandle.current()
          .descendants()
          .forEach(each -> System.out.println("descendant " + each.pid()));
      System.out.println("ready");
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void passesEverythingOn() throws Exception {
    String odd = "a \"quoted\" \\ back # slash";
    try (ChildJvm child =
        ChildJvm.builder(Counting.class)
            .args(odd, "7")
            .env("E", "e v")
            .property("p", "p v")
            .heap("32m")
            .start()) {
      assertThat(child.waitForExit(LIMIT)).isEqualTo(7);
      assertThat(child.awaitLine("^args", LIMIT)).isEqualTo("args [" + odd + ", 7] p v e v");
      assertThat(child.awaitLine("complaint", LIMIT)).isEqualTo("complaint");
      assertThat(Long.parseLong(child.awaitLine("max", LIMIT).substring(4))).isLessThan(40_000_000);
      assertThat(child.errors()).containsExactly("complaint");
      assertThatThrownBy(() -> child.awaitLine("never said", LIMIT))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("ended with 7")
          .hasMessageContaining("complaint");
    }
  }

  @Test
  void isStoppedContinuedAndKilled() throws Exception {
    try (ChildJvm child = ChildJvm.builder(Counting.class).args("x").start()) {
      child.awaitLine("tick", LIMIT);
      child.stop();
      int before = child.output().size();
      assertThatThrownBy(() -> child.waitForExit(Duration.ofMillis(100)))
          .hasMessageContaining("did not end within")
          .hasMessageContaining("tick");
      assertThat(child.output()).hasSize(before);
      assertThat(child.isAlive()).isTrue();
      child.cont();
      Await.until("the child to go on", LIMIT, () -> child.output().size() > before);
      child.kill();
      assertThat(child.waitForExit(LIMIT)).isEqualTo(137);
      assertThat(child.output()).doesNotContain("hook ran");
    }
  }

  @Test
  void isTerminatedInOrder() throws Exception {
    try (ChildJvm child = ChildJvm.builder(Counting.class).args("x").start()) {
      child.awaitLine("ready", LIMIT);
      child.terminate();
      assertThat(child.waitForExit(LIMIT)).isEqualTo(143);
      assertThat(child.output()).contains("hook ran");
    }
  }

  @Test
  void nothingOutlivesAKilledJvm() throws Exception {
    try (ChildJvm parent = ChildJvm.builder(Parent.class).args("with RabbitMQ").start()) {
      parent.awaitLine("ready", Duration.ofSeconds(60));
      List<ProcessHandle> descendants = descendants(parent);
      assertThat(descendants).hasSizeGreaterThan(8);
      parent.kill();
      Await.until("all to end", LIMIT, () -> descendants.stream().allMatch(Signals::isGone));
      TempDir.sweep();
    }
  }

  @Test
  void nothingOutlivesATerminatedJvm() throws Exception {
    try (ChildJvm parent = ChildJvm.builder(Parent.class).start()) {
      parent.awaitLine("ready", Duration.ofSeconds(60));
      List<ProcessHandle> descendants = descendants(parent);
      parent.terminate();
      parent.waitForExit(LIMIT);
      Await.until("all to end", LIMIT, () -> descendants.stream().allMatch(Signals::isGone));
      assertThat(parent.errors()).noneMatch(line -> line.contains("could not tidy up"));
    }
  }

  private static List<ProcessHandle> descendants(ChildJvm parent) throws IOException {
    return parent.output().stream()
        .filter(line -> line.startsWith("descendant "))
        .flatMap(line -> ProcessHandle.of(Long.parseLong(line.substring(11))).stream())
        .toList();
  }
}
