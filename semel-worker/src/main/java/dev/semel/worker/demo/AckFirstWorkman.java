package dev.semel.worker.demo;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The worker of many a tutorial: take a message, acknowledge it, work. What it has in hand when it
 * dies is gone: the broker has forgotten it, and the database has not seen it.
 */
final class AckFirstWorkman implements Workman {

  private final Channel channel;
  private final String queue;
  private final Connection database;
  private final Charge charge;
  private final Witness witness;

  AckFirstWorkman(
      Channel channel, String queue, Connection database, Charge charge, Witness witness) {
    this.channel = channel;
    this.queue = queue;
    this.database = database;
    this.charge = charge;
    this.witness = witness;
  }

  @Override
  public void run(ParentWatch parent) throws Exception {
    BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
    database.setAutoCommit(false);
    channel.basicQos(10);
    channel.basicConsume(queue, false, (tag, delivery) -> received.add(delivery), tag -> {});
    while (!parent.stopped()) {
      Delivery delivery = received.poll(20, TimeUnit.MILLISECONDS);
      if (delivery != null) {
        handle(delivery);
      }
    }
  }

  private void handle(Delivery delivery) throws Exception {
    String payment = delivery.getProperties().getMessageId();
    witness.entered(payment);

    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
    witness.acknowledged(payment, "");

    charge.write(database, payment, delivery.getBody());
    witness.insideHandler(payment);

    database.commit();
    witness.committed(List.of(payment));
  }
}
