package dev.semel.bench;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The hand-written loop: claim, effect, commit, acknowledge, for one message after the other. Each
 * thread has a channel, a database connection and prepared statements of its own.
 */
record OneByOne(int threads, int prefetch) implements Consuming {

  private static final String CLAIM =
      "INSERT INTO processed_messages (message_id) VALUES (?) ON CONFLICT DO NOTHING";

  @Override
  public void run(Assignment assignment, Meter meter) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Connection> sessions = new ArrayList<>();
    try (var broker = assignment.connectionFactory().newConnection(executor)) {
      for (int i = 0; i < threads; i++) {
        Connection session = assignment.dataSource().getConnection();
        sessions.add(session);
        session.setAutoCommit(false);
        Channel channel = broker.createChannel();
        channel.basicQos(prefetch);
        Lane lane = new Lane(channel, session, meter);
        channel.basicConsume(assignment.queue(), false, lane::deliver, tag -> {});
      }
      meter.await();
    } finally {
      executor.shutdown();
      for (Connection session : sessions) {
        session.close();
      }
    }
  }

  /** Called by one thread at a time, as the client promises for a channel. */
  private static final class Lane {

    private final Channel channel;
    private final Connection session;
    private final PreparedStatement claim;
    private final PreparedStatement effect;
    private final Meter meter;

    Lane(Channel channel, Connection session, Meter meter) throws SQLException {
      this.channel = channel;
      this.session = session;
      this.claim = session.prepareStatement(CLAIM);
      this.effect = session.prepareStatement(Effects.INSERT);
      this.meter = meter;
    }

    void deliver(String tag, Delivery delivery) throws IOException {
      meter.delivered();
      try {
        apply(delivery);
      } catch (SQLException | RuntimeException e) {
        meter.failed(e);
        return;
      }
      channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
      meter.acknowledged(1);
    }

    private void apply(Delivery delivery) throws SQLException {
      String id = delivery.getProperties().getMessageId();
      claim.setString(1, id);
      if (claim.executeUpdate() == 1) {
        effect.setString(1, id);
        effect.setString(2, new String(delivery.getBody(), StandardCharsets.UTF_8));
        effect.executeUpdate();
      }
      session.commit();
    }
  }
}
