package dev.semel.tests.worker;

import dev.semel.Message;
import dev.semel.PermanentFailure;
import dev.semel.checker.Event;
import dev.semel.checker.Recorder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The handler of the tests, the same for Semel and for the twins. Writes one row per run into
 * {@code effects}, then obeys the body, one order per line, prints {@code RETURNS key n} if the
 * broker says how often it took the message back, and {@code LEFT key} at its end, however it ends:
 *
 * <ul>
 *   <li>{@code ok}: nothing more
 *   <li>{@code sleep MILLIS}
 *   <li>{@code fail}: throws; {@code fail-once}: throws in the first run of this key, in any
 *       process; {@code fail-times N}: in the first N runs; {@code permanent}: throws a
 *       PermanentFailure
 *   <li>{@code sql TEXT}: runs it; {@code swallow TEXT}: runs it and swallows the error
 *   <li>{@code raw-commit}: commits the unwrapped connection
 *   <li>{@code call NAME}: calls commit, rollback, setAutoCommit, close or abort on the handed
 *       connection
 *   <li>{@code wait NAME}: waits until the test makes a file of this name beside the history
 *   <li>{@code deaf NAME}: the same, but passes over an interrupt
 *   <li>{@code interrupt}: leaves the thread marked as interrupted
 *   <li>{@code say TEXT}: prints {@code SAID key TEXT}
 *   <li>{@code own SQL}: runs it on another connection of the worker's data source, in autocommit
 *   <li>{@code block}: waits to be killed
 *   <li>{@code halt}: ends the JVM
 * </ul>
 */
public final class TestHandler {

  private final String consumer;
  private final Recorder recorder;
  private final Path memory;
  private final boolean passBlock;
  private volatile @Nullable DataSource dataSource;

  TestHandler(String consumer, Recorder recorder, Path memory, boolean passBlock) {
    this.passBlock = passBlock;
    this.consumer = consumer;
    this.recorder = recorder;
    this.memory = memory;
  }

  /** Where the order {@code own} gets its connections. */
  void ownConnectionsFrom(DataSource source) {
    this.dataSource = source;
  }

  /** The identity that the checker knows. */
  static String keyOf(Message message) {
    return String.valueOf(message.id());
  }

  void handle(Message message, Connection connection) throws Exception {
    String key = keyOf(message);
    recorder.record(Event.ENTERED, consumer, key);
    WorkerMain.say("ENTERED " + key);
    String returns = message.headerText("x-delivery-count");
    if (returns != null) {
      WorkerMain.say("RETURNS " + key + " " + returns);
    }
    try (PreparedStatement s =
        connection.prepareStatement("INSERT INTO public.effects (k, note) VALUES (?, ?)")) {
      s.setString(1, key);
      s.setString(2, consumer);
      s.executeUpdate();
    }
    try {
      for (String line : message.text().split("\n")) {
        obey(key, line, connection);
      }
    } finally {
      WorkerMain.say("LEFT " + key);
    }
  }

  private void obey(String key, String line, Connection connection) throws Exception {
    String order = line.contains(" ") ? line.substring(0, line.indexOf(' ')) : line;
    String rest = line.substring(Math.min(line.length(), order.length() + 1));
    switch (order) {
      case "sleep" -> Thread.sleep(Long.parseLong(rest));
      case "fail" -> throw new IllegalStateException("told to fail");
      case "fail-once" -> {
        if (firstTime(key)) {
          throw new IllegalStateException("told to fail once");
        }
      }
      case "fail-times" -> {
        for (int i = 1; i <= Integer.parseInt(rest); i++) {
          if (firstTime(key + "-" + i)) {
            throw new IllegalStateException("told to fail, " + i + ". time");
          }
        }
      }
      case "permanent" -> throw new PermanentFailure("cannot be decoded");
      case "sql" -> run(connection, rest);
      case "swallow" -> {
        try {
          run(connection, rest);
        } catch (SQLException swallowed) {
          WorkerMain.say("SWALLOWED " + swallowed.getSQLState());
        }
      }
      case "raw-commit" -> connection.createStatement().getConnection().commit();
      case "call" -> call(connection, rest);
      case "wait" -> {
        while (!Files.exists(memory.resolve(rest))) {
          Thread.sleep(5);
        }
      }
      case "deaf" -> {
        while (!Files.exists(memory.resolve(rest))) {
          LockSupport.parkNanos(5_000_000);
          // Without this the next pause would not be one.
          Thread.interrupted();
        }
      }
      case "interrupt" -> Thread.currentThread().interrupt();
      case "say" -> WorkerMain.say("SAID " + key + " " + rest);
      case "own" -> {
        try (Connection own = dataSource.getConnection()) {
          run(own, rest);
        }
      }
      case "block" -> {
        if (!passBlock) {
          new CountDownLatch(1).await();
        }
      }
      case "halt" -> Runtime.getRuntime().halt(1);
      default -> {
        // "ok", or a body that is meant for somebody else.
      }
    }
  }

  private static void call(Connection connection, String name) throws SQLException {
    switch (name) {
      case "commit" -> connection.commit();
      case "rollback" -> connection.rollback();
      case "setAutoCommit" -> connection.setAutoCommit(true);
      case "close" -> connection.close();
      case "abort" -> connection.abort(Runnable::run);
      default -> throw new IllegalArgumentException(name);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement s = connection.createStatement()) {
      s.execute(sql);
    }
  }

  private boolean firstTime(String key) throws IOException {
    try {
      Files.createFile(memory.resolve("failed-" + Integer.toHexString(key.hashCode())));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }
}
