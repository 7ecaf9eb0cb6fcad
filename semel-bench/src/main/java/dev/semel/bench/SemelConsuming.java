package dev.semel.bench;

import dev.semel.Consumer;
import dev.semel.Listener;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Setting;
import dev.semel.Tx;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;

/** Semel, through its public API, as its README shows it. */
final class SemelConsuming implements Consuming {

  /** Its name. */
  static final String CONSUMER = "bench";

  private final UnaryOperator<Consumer.Builder> settings;

  private SemelConsuming(UnaryOperator<Consumer.Builder> settings) {
    this.settings = settings;
  }

  static Consuming oneByOne() {
    return new SemelConsuming(consumer -> consumer.handler(SemelConsuming::handle));
  }

  /** For a run with many parked messages. */
  static Consuming withoutParkedLimit() {
    return new SemelConsuming(
        consumer ->
            consumer.handler(SemelConsuming::handle).parkedLimit(Setting.PARKED_LIMIT.max()));
  }

  /** Batch, lanes and prefetch are those of the hand-tuned loop. */
  static Consuming batches(int batch) {
    return new SemelConsuming(
        consumer ->
            consumer
                .batchHandler(SemelConsuming::handleAll)
                .batch(batch)
                .lanes(HandTunedBatches.lanes())
                .prefetch(HandTunedBatches.prefetch(batch)));
  }

  @Override
  public void run(Assignment assignment, Meter meter) throws Exception {
    Semel semel =
        Semel.builder(assignment.dataSource())
            .listener(
                new Listener() {
                  @Override
                  public void settled(Settled settled) {
                    meter.deliveredAgo(settled.age().toNanos());
                    if (settled.redelivered()) {
                      meter.redelivered();
                    }
                    meter.acknowledged(1);
                  }
                })
            .build();
    Consumer consumer =
        settings
            .apply(
                Consumer.named(CONSUMER)
                    .source(RabbitMq.queue(assignment.amqpUri(), assignment.queue())))
            .build();
    Worker worker = semel.start(consumer);
    try {
      meter.await();
    } finally {
      worker.close();
    }
  }

  private static void handle(Message message, Tx tx) throws SQLException {
    try (PreparedStatement effect = tx.connection().prepareStatement(Effects.INSERT)) {
      effect.setString(1, message.id());
      effect.setString(2, message.text());
      effect.executeUpdate();
    }
  }

  private static void handleAll(List<Message> messages, Tx tx) throws SQLException {
    try (PreparedStatement effect = tx.connection().prepareStatement(Effects.INSERT)) {
      for (Message message : messages) {
        effect.setString(1, message.id());
        effect.setString(2, message.text());
        effect.addBatch();
      }
      effect.executeBatch();
    }
  }
}
