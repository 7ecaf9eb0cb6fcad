package dev.semel.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Consumer;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Tx;
import dev.semel.Worker;
import dev.semel.rabbitmq.RabbitMq;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A worker on RabbitMQ: every message of a queue is one row of a ledger. */
public final class PaymentWorker {

  private PaymentWorker() {}

  // tag::worker
  /** Runs until SIGTERM; the argument is the queue. */
  public static void main(String[] args) {
    Worker worker = start(pool(), System.getenv("SEMEL_AMQP_URI"), args[0]);
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
  }

  static Worker start(DataSource database, String amqpUri, String queue) {
    Consumer payments =
        Consumer.named("payments")
            .source(RabbitMq.queue(amqpUri, queue))
            .handler(PaymentWorker::book)
            .build();
    return Semel.builder(database).build().start(payments);
  }

  /** Commits together with the message's key, or not at all. */
  static void book(Message message, Tx tx) throws SQLException {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("INSERT INTO ledger (entry) VALUES (?::jsonb)")) {
      insert.setString(1, message.text());
      insert.executeUpdate();
    }
  }

  // end::worker

  private static DataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(System.getenv("SEMEL_JDBC_URL"));
    pool.setUsername(System.getenv("SEMEL_JDBC_USER"));
    pool.setPassword(System.getenv("SEMEL_JDBC_PASSWORD"));
    return pool;
  }
}
