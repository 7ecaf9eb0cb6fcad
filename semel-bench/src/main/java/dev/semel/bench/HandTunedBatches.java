package dev.semel.bench;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The hand-tuned loop: what is there, up to the batch size, is claimed in one statement, applied
 * with a JDBC batch, committed once and acknowledged with one multiple-ack. As many lanes as Semel
 * has by default, each with a channel and a database connection of its own.
 */
record HandTunedBatches(int batch) implements Consuming {

  /** Enough that the next batch has arrived when one is done. */
  private static final int BATCHES_AHEAD = 3;

  private static final String CLAIM =
      """
      INSERT INTO processed_messages (message_id) SELECT unnest(?::text[])
      ON CONFLICT DO NOTHING RETURNING message_id
      """;

  static int lanes() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Of all lanes together. */
  static int prefetch(int batch) {
    return BATCHES_AHEAD * batch * lanes();
  }

  @Override
  public void run(Assignment assignment, Meter meter) throws Exception {
    List<Thread> threads = new ArrayList<>();
    try (var broker = assignment.connectionFactory().newConnection()) {
      for (int i = 0; i < lanes(); i++) {
        Channel channel = broker.createChannel();
        channel.basicQos(prefetch(batch) / lanes());
        BlockingQueue<Delivery> inbox = new LinkedBlockingQueue<>();
        Thread thread =
            new Thread(
                () -> {
                  try (Connection session = assignment.dataSource().getConnection()) {
                    new Lane(channel, inbox, session, meter).run();
                  } catch (InterruptedException e) {
                    // all done
                  } catch (Exception e) {
                    meter.failed(e);
                  }
                },
                "lane-" + i);
        threads.add(thread);
        thread.start();
        channel.basicConsume(
            assignment.queue(),
            false,
            (tag, delivery) -> {
              meter.delivered();
              inbox.add(delivery);
            },
            tag -> {});
      }
      meter.await();
    } finally {
      for (Thread thread : threads) {
        thread.interrupt();
        thread.join();
      }
    }
  }

  /** One thread's work. */
  private final class Lane {

    private final Channel channel;
    private final BlockingQueue<Delivery> inbox;
    private final Connection session;
    private final PreparedStatement claim;
    private final PreparedStatement effect;
    private final Meter meter;

    Lane(Channel channel, BlockingQueue<Delivery> inbox, Connection session, Meter meter)
        throws SQLException {
      this.channel = channel;
      this.inbox = inbox;
      this.session = session;
      session.setAutoCommit(false);
      this.claim = session.prepareStatement(CLAIM);
      this.effect = session.prepareStatement(Effects.INSERT);
      this.meter = meter;
    }

    void run() throws Exception {
      List<Delivery> deliveries = new ArrayList<>(batch);
      while (true) {
        deliveries.clear();
        deliveries.add(inbox.take());
        inbox.drainTo(deliveries, batch - 1);
        apply(deliveries);
        Delivery last = deliveries.get(deliveries.size() - 1);
        channel.basicAck(last.getEnvelope().getDeliveryTag(), true);
        meter.acknowledged(deliveries.size());
      }
    }

    private void apply(List<Delivery> deliveries) throws SQLException {
      Set<String> fresh = claimed(deliveries);
      for (Delivery delivery : deliveries) {
        String id = delivery.getProperties().getMessageId();
        // removed, so that a copy inside the batch has no effect
        if (fresh.remove(id)) {
          effect.setString(1, id);
          effect.setString(2, new String(delivery.getBody(), StandardCharsets.UTF_8));
          effect.addBatch();
        }
      }
      effect.executeBatch();
      session.commit();
    }

    private Set<String> claimed(List<Delivery> deliveries) throws SQLException {
      String[] ids =
          deliveries.stream().map(d -> d.getProperties().getMessageId()).toArray(String[]::new);
      Array array = session.createArrayOf("text", ids);
      claim.setArray(1, array);
      Set<String> fresh = new HashSet<>();
      try (ResultSet rows = claim.executeQuery()) {
        while (rows.next()) {
          fresh.add(rows.getString(1));
        }
      }
      return fresh;
    }
  }
}
