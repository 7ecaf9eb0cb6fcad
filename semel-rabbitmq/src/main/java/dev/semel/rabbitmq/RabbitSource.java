package dev.semel.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One queue as a source: all its subscriptions share one connection and one loop. */
final class RabbitSource implements MessageSource {

  private static final int CLOSE_MILLIS = 2_000;
  private static final int MAX_PREFETCH = 65_535;

  private final Broker broker;
  private final String queue;
  private @Nullable Reconciler reconciler;

  RabbitSource(Broker broker, String queue) {
    this.broker = broker;
    this.queue = queue;
  }

  static String connectionName(String queue) {
    return "semel:" + queue;
  }

  /** A '/' inside a vhost's name is escaped, so that no two queues have one name. */
  @Override
  public String name() {
    String vhost = broker.uri().vhost();
    String escaped = vhost.equals("/") ? vhost : vhost.replace("%", "%25").replace("/", "%2F");
    return "rabbitmq:" + escaped + "/" + queue;
  }

  @Override
  public void check() {
    Refusals refusals = new Refusals(broker.uri());
    Connection connection;
    try {
      connection = broker.connect(connectionName(queue), "semel-rabbitmq-check");
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw refusals.ofConnection(e);
    }
    try {
      Channel channel = connection.createChannel();
      if (channel == null) {
        throw new IOException("the connection has no channel left");
      }
      channel.queueDeclarePassive(queue);
    } catch (IOException | RuntimeException e) {
      throw refusals.ofQueue(queue, e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  @Override
  public synchronized Subscription subscribe(Intake intake, int prefetch) {
    if (prefetch < 1 || prefetch > MAX_PREFETCH) {
      throw new IllegalArgumentException(
          "prefetch must be from 1 to " + MAX_PREFETCH + ", was " + prefetch);
    }
    Subscription subscription = reconciler == null ? null : reconciler.subscribe(intake, prefetch);
    if (subscription == null) {
      Reconciler fresh = new Reconciler(broker, queue);
      reconciler = fresh;
      subscription = fresh.subscribe(intake, prefetch);
    }
    if (subscription == null) {
      throw new IllegalStateException("a new loop cannot have ended");
    }
    return subscription;
  }

  @Override
  public String toString() {
    return name();
  }
}
