package dev.semel.tests.worker;

import dev.semel.checker.Recorder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The main method of a worker process. */
public final class WorkerMain {

  private WorkerMain() {}

  public static void main(String[] args) throws Exception {
    Map<String, String> values = new HashMap<>();
    for (String arg : args) {
      int at = arg.indexOf('=');
      values.put(arg.substring(0, at), arg.substring(at + 1));
    }
    Args a = new Args(values);
    Recorder recorder = Recorder.open(Path.of(a.text("history")), "worker");
    TestHandler handler =
        new TestHandler(
            a.text("consumer"), recorder, Path.of(a.text("history")), a.has("passBlock"));
    WorkerKind kind = WorkerKind.valueOf(a.text("kind"));
    AutoCloseable worker =
        kind == WorkerKind.SEMEL
            ? SemelWorker.start(a, handler, recorder)
            : TwinWorker.start(kind, a, handler, recorder);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  say("STOPPING");
                  try {
                    worker.close();
                    recorder.close();
                  } catch (Exception e) {
                    e.printStackTrace();
                  }
                  say("STOPPED");
                }));
    new CountDownLatch(1).await();
  }

  /** One line for the test, out at once. */
  static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** The arguments. */
  record Args(Map<String, String> values) {

    String text(String key) {
      return values.get(key);
    }

    String text(String key, String otherwise) {
      return values.getOrDefault(key, otherwise);
    }

    int number(String key) {
      return Integer.parseInt(values.get(key));
    }

    boolean has(String key) {
      return values.containsKey(key);
    }
  }
}
