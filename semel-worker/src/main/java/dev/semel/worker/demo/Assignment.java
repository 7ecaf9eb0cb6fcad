package dev.semel.worker.demo;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker process is told on its command line; where the servers are is in its environment.
 */
record Assignment(
    Contender contender,
    String queue,
    String events,
    String schema,
    String effects,
    Path history,
    int batch,
    boolean oneAtATime,
    @Nullable Kill kill) {

  static final String AMQP_URI = "SEMEL_DEMO_AMQP_URI";
  static final String JDBC_URL = "SEMEL_DEMO_JDBC_URL";
  static final String JDBC_USER = "SEMEL_DEMO_JDBC_USER";
  static final String JDBC_PASSWORD = "SEMEL_DEMO_JDBC_PASSWORD";

  List<String> args() {
    return List.of(
        contender.name(),
        queue,
        events,
        schema,
        effects,
        history.toString(),
        Integer.toString(batch),
        Boolean.toString(oneAtATime),
        kill == null ? "" : kill.moment().name(),
        kill == null ? "" : Integer.toString(kill.after()));
  }

  static Assignment of(String[] args) {
    return new Assignment(
        Contender.valueOf(args[0]),
        args[1],
        args[2],
        args[3],
        args[4],
        Path.of(args[5]),
        Integer.parseInt(args[6]),
        Boolean.parseBoolean(args[7]),
        args[8].isEmpty() ? null : new Kill(Moment.valueOf(args[8]), Integer.parseInt(args[9])));
  }
}
