package dev.semel.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.semel.spi.Intake;
import dev.semel.spi.MessageSource;
import dev.semel.spi.Subscription;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One queue as a source: all its subscriptions share one connection and one loop. */
final class RabbitSource implements MessageSource {

  private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);

  private static final int CLOSE_MILLIS = 2_000;
  private static final int MAX_PREFETCH = 65_535;

  private final Broker broker;
  private final String queue;
  private final int maxMessageBytes;
  private final boolean saidSingleActive;
  private volatile @Nullable QueueFacts facts;
  private @Nullable Reconciler reconciler; // guarded by this

  RabbitSource(Broker broker, String queue, int maxMessageBytes, boolean saidSingleActive) {
    this.broker = broker;
    this.queue = queue;
    this.maxMessageBytes = maxMessageBytes;
    this.saidSingleActive = saidSingleActive;
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

  /** Also finds out about the queue what can be found out, and warns of what it finds. */
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
      facts = QueueInquiry.facts(connection, queue);
    } catch (IOException | RuntimeException e) {
      throw refusals.ofQueue(queue, e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
    QueueFacts known = facts;
    if (known != null) {
      if (saidSingleActive && !known.singleActiveConsumer()) {
        throw refusals.notSingleActive(queue);
      }
      QueueWarnings.of(queue, known).forEach(log::warn);
    }
  }

  @Override
  public boolean oneProcessAtATime() {
    QueueFacts known = facts;
    return saidSingleActive || (known != null && known.singleActiveConsumer());
  }

  @Override
  public synchronized Subscription subscribe(Intake intake, int prefetch) {
    if (prefetch < 1 || prefetch > MAX_PREFETCH) {
      throw new IllegalArgumentException(
          "prefetch must be from 1 to " + MAX_PREFETCH + ", was " + prefetch);
    }
    ConsumerSpec spec = new ConsumerSpec(queue, prefetch, maxMessageBytes, oneProcessAtATime());
    Subscription subscription = reconciler == null ? null : reconciler.subscribe(intake, spec);
    if (subscription == null) {
      Reconciler fresh = new Reconciler(broker, queue);
      reconciler = fresh;
      subscription = fresh.subscribe(intake, spec);
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
