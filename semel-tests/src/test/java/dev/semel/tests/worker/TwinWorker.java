package dev.semel.tests.worker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.semel.Message;
import dev.semel.checker.Event;
import dev.semel.checker.Recorder;
import dev.semel.tests.worker.WorkerMain.Args;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The broken twins: each is what a tutorial or a hurried Tuesday gives. One thread and one channel
 * a lane, reconnecting through the client's own recovery.
 */
final class TwinWorker {

  private final WorkerKind kind;
  private final Args args;
  private final TestHandler handler;
  private final Recorder recorder;
  private final String consumer;

  private TwinWorker(WorkerKind kind, Args args, TestHandler handler, Recorder recorder) {
    this.kind = kind;
    this.args = args;
    this.handler = handler;
    this.recorder = recorder;
    this.consumer = args.text("consumer");
  }

  static AutoCloseable start(WorkerKind kind, Args args, TestHandler handler, Recorder recorder)
      throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args.text("amqp"));
    com.rabbitmq.client.Connection broker = factory.newConnection();
    List<Channel> channels = new ArrayList<>();
    for (int i = 0; i < args.number("lanes"); i++) {
      Channel channel = broker.createChannel();
      channel.basicQos(Math.max(1, args.number("prefetch")));
      channels.add(channel);
      new TwinWorker(kind, args, handler, recorder).consume(channel);
    }
    WorkerMain.say("READY");
    return () -> broker.close(5000);
  }

  private void consume(Channel channel) throws IOException {
    channel.basicConsume(
        args.text("queue"),
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
              throws IOException {
            Message message = Message.builder().id(properties.getMessageId()).body(body).build();
            long delivery = envelope.getDeliveryTag();
            if (kind == WorkerKind.TWIN_D_ACK_FIRST) {
              acknowledge(channel, delivery, message);
            }
            try {
              apply(message);
            } catch (Exception e) {
              WorkerMain.say("FAILED " + message.id() + " " + e);
              if (kind != WorkerKind.TWIN_D_ACK_FIRST) {
                channel.basicNack(delivery, false, true);
              }
              return;
            }
            if (kind != WorkerKind.TWIN_D_ACK_FIRST) {
              acknowledge(channel, delivery, message);
            }
          }
        });
  }

  private void acknowledge(Channel channel, long delivery, Message message) throws IOException {
    channel.basicAck(delivery, false);
    recorder.record(Event.ACKNOWLEDGED, consumer, TestHandler.keyOf(message));
    WorkerMain.say("SETTLED " + TestHandler.keyOf(message));
  }

  private void apply(Message message) throws Exception {
    try (Connection c =
        DriverManager.getConnection(args.text("jdbc"), args.text("user"), args.text("password"))) {
      c.setAutoCommit(false);
      switch (kind) {
        case TWIN_A_CHECK_THEN_ACT -> checkThenAct(c, message);
        case TWIN_B_KEY_FIRST -> keyFirst(c, message);
        case TWIN_C_CLASS_23 -> class23(c, message);
        default -> {
          handler.handle(message, c);
          commit(c, message);
        }
      }
    }
  }

  private void commit(Connection c, Message message) throws SQLException {
    c.commit();
    recorder.record(Event.COMMITTED, consumer, TestHandler.keyOf(message));
  }

  private void checkThenAct(Connection c, Message message) throws Exception {
    if (!known(c, message)) {
      handler.handle(message, c);
      // No unique key, as in many a hand-written table.
      try (PreparedStatement s =
          c.prepareStatement("INSERT INTO public.twin_seen (consumer, k) VALUES (?, ?)")) {
        s.setString(1, consumer);
        s.setString(2, TestHandler.keyOf(message));
        s.executeUpdate();
      }
      commit(c, message);
    }
  }

  private boolean known(Connection c, Message message) throws SQLException {
    try (PreparedStatement s =
        c.prepareStatement("SELECT 1 FROM public.twin_seen WHERE consumer = ? AND k = ?")) {
      s.setString(1, consumer);
      s.setString(2, TestHandler.keyOf(message));
      try (ResultSet r = s.executeQuery()) {
        return r.next();
      }
    }
  }

  private void keyFirst(Connection c, Message message) throws Exception {
    if (insertKey(c, message, "ON CONFLICT DO NOTHING") == 0) {
      return;
    }
    c.commit();
    handler.handle(message, c);
    commit(c, message);
  }

  private void class23(Connection c, Message message) throws Exception {
    try {
      insertKey(c, message, "");
      handler.handle(message, c);
      commit(c, message);
    } catch (SQLException e) {
      if (e.getSQLState() != null && e.getSQLState().startsWith("23")) {
        c.rollback();
        return;
      }
      throw e;
    }
  }

  private int insertKey(Connection c, Message message, String conflict) throws SQLException {
    try (PreparedStatement s =
        c.prepareStatement(
            "INSERT INTO public.twin_keys (consumer, k) VALUES (?, ?) " + conflict)) {
      s.setString(1, consumer);
      s.setString(2, TestHandler.keyOf(message));
      return s.executeUpdate();
    }
  }
}
