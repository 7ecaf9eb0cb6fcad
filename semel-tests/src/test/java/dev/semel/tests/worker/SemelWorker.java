package dev.semel.tests.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Consumer;
import dev.semel.FailurePolicy;
import dev.semel.Health;
import dev.semel.Identity;
import dev.semel.Listener;
import dev.semel.Message;
import dev.semel.Outcome;
import dev.semel.Outgoing;
import dev.semel.RetryPolicy;
import dev.semel.Semel;
import dev.semel.Source;
import dev.semel.Worker;
import dev.semel.checker.Event;
import dev.semel.checker.Recorder;
import dev.semel.engine.Engine;
import dev.semel.rabbitmq.RabbitMq;
import dev.semel.rabbitmq.RabbitSourceBuilder;
import dev.semel.tests.worker.WorkerMain.Args;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Semel under test. */
final class SemelWorker {

  private SemelWorker() {}

  static AutoCloseable start(Args a, TestHandler handler, Recorder recorder) {
    DataSource dataSource = dataSource(a);
    handler.ownConnectionsFrom(dataSource);
    InHand inHand = new InHand(a.text("consumer"), recorder);
    Semel.Builder builder =
        Semel.builder(dataSource)
            .lanes(a.number("lanes"))
            .batch(a.number("batch"))
            .grace(Duration.ofMillis(a.number("grace")))
            .listener(new Recording(recorder));
    if (a.number("prefetch") > 0) {
      builder.prefetch(a.number("prefetch"));
    }
    if (a.has("statementTimeout")) {
      builder.statementTimeout(Duration.ofMillis(a.number("statementTimeout")));
    }
    if (a.has("lockTimeout")) {
      builder.lockTimeout(Duration.ofMillis(a.number("lockTimeout")));
    }
    if (a.has("oneAtATime")) {
      builder.oneAtATime();
    }
    if (a.has("relay")) {
      builder
          .sender(RabbitMq.sender(a.text("amqp")))
          .relayPoll(Duration.ofMillis(100))
          .relayLease(Duration.ofMillis(Integer.parseInt(a.text("lease", "2000"))));
    }
    FaultProbe probe = FaultProbe.of(a, inHand::reached);
    Semel semel = Engine.of(builder.settings(), probe);
    Consumer.Builder consumer =
        Consumer.named(a.text("consumer"))
            .source(source(a))
            .failurePolicy(FailurePolicy.valueOf(a.text("policy")))
            .pause(Duration.ofMillis(a.number("pause")))
            .retry(
                RetryPolicy.builder()
                    .attempts(a.number("attempts"))
                    .deaths(a.number("deaths"))
                    .firstPause(Duration.ofMillis(a.number("pause")))
                    .cap(Duration.ofMillis(Math.max(a.number("pause"), a.number("cap"))))
                    .build());
    if (a.has("parkedLimit")) {
      consumer.parkedLimit(a.number("parkedLimit"));
    }
    if (a.has("deadLettersTo")) {
      consumer.deadLettersTo("", a.text("deadLettersTo"));
    }
    if (a.has("ackTimeout")) {
      consumer.acknowledgementTimeout(Duration.ofMillis(a.number("ackTimeout")));
    }
    if (a.has("orderedBy")) {
      String header = a.text("orderedBy");
      consumer.orderingKey(message -> message.headerText(header));
    }
    if (a.has("header")) {
      consumer.identity(Identity.header(a.text("header")));
    }
    if (a.has("batchHandler")) {
      consumer.batchHandler(
          (messages, tx) -> {
            for (Message message : messages) {
              inHand.entered(TestHandler.keyOf(message));
              handler.handle(message, tx.connection());
              if (a.has("sendTo")) {
                tx.send(message, sent(a, TestHandler.keyOf(message)));
              }
            }
          });
    } else {
      consumer.handler(
          (message, tx) -> {
            inHand.entered(TestHandler.keyOf(message));
            handler.handle(message, tx.connection());
            if (a.has("sendTo")) {
              tx.send(sent(a, TestHandler.keyOf(message)));
            }
          });
    }
    Worker worker = a.has("relayOnly") ? semel.start() : semel.start(consumer.build());
    tellHealth(worker);
    return () -> {
      worker.close();
      if (dataSource instanceof HikariDataSource pool) {
        pool.close();
      }
    };
  }

  /** {@code HEALTH up}, {@code HEALTH down reasons} at each change, and {@code READY} once. */
  private static void tellHealth(Worker worker) {
    Thread thread =
        new Thread(
            () -> {
              boolean wasReady = false;
              String said = "";
              while (true) {
                Health health = worker.health();
                String line = health.ready() ? "HEALTH up" : "HEALTH down " + health.reasons();
                if (!line.equals(said)) {
                  WorkerMain.say(line);
                  said = line;
                }
                if (health.ready() && !wasReady) {
                  WorkerMain.say("READY");
                  wasReady = true;
                }
                LockSupport.parkNanos(10_000_000);
              }
            },
            "health");
    thread.setDaemon(true);
    thread.start();
  }

  /** What each message makes leave: its key. */
  private static Outgoing sent(Args a, String key) {
    return Outgoing.to("", a.text("sendTo")).body(key).build();
  }

  private static Source source(Args a) {
    RabbitSourceBuilder source = RabbitMq.source(a.text("amqp"), a.text("queue"));
    return a.has("maxMessageBytes")
        ? source.maxMessageBytes(a.number("maxMessageBytes")).build()
        : source.build();
  }

  private static DataSource dataSource(Args a) {
    if (a.has("pool")) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(a.text("jdbc"));
      config.setUsername(a.text("user"));
      config.setPassword(a.text("password"));
      config.setMaximumPoolSize(a.number("pool"));
      config.setConnectionTimeout(1000);
      return new HikariDataSource(config);
    }
    PGSimpleDataSource plain = new PGSimpleDataSource();
    plain.setUrl(a.text("jdbc"));
    plain.setUser(a.text("user"));
    plain.setPassword(a.text("password"));
    return plain;
  }

  /** Records what Semel tells after commit and settle. */
  private record Recording(Recorder recorder) implements Listener {

    @Override
    public void settled(Settled s) {
      String key = String.valueOf(s.messageKey());
      Outcome outcome = s.outcome();
      if (!(outcome instanceof Outcome.Applied || outcome instanceof Outcome.Duplicate)) {
        recorder.record(Event.PARKED, s.consumer(), key);
      }
      recorder.record(Event.ACKNOWLEDGED, s.consumer(), key, outcome.toString());
      WorkerMain.say(
          "SETTLED "
              + key
              + " "
              + outcome
              + " attempt="
              + s.attempt()
              + " batch="
              + s.batchSize()
              + (s.redelivered() ? " redelivered" : ""));
    }

    @Override
    public void relayed(String destination, int count, Duration oldest) {
      WorkerMain.say("RELAYED " + count);
    }

    @Override
    public void died(String consumer, String key, String reason) {
      WorkerMain.say("DIED " + key + " " + reason);
    }

    @Override
    public void acknowledgementsLate(String consumer, Duration handlerTime, String advice) {
      WorkerMain.say("LATE " + advice);
    }

    @Override
    public void inFlight(String consumer, String key) {
      WorkerMain.say("INFLIGHT " + key);
    }

    @Override
    public void failed(String consumer, String key, int failures, Throwable failure) {
      WorkerMain.say("FAILED " + key + " " + failures + " " + failure);
    }

    @Override
    public void outageBegan(Outage outage) {
      WorkerMain.say("AWAY " + outage.kind() + " " + outage.name() + " " + outage.reason());
    }

    @Override
    public void outageEnded(Outage outage, Duration lasted) {
      WorkerMain.say("BACK " + outage.kind() + " " + outage.name());
    }
  }
}
