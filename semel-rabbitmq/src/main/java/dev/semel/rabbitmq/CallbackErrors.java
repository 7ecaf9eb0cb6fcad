package dev.semel.rabbitmq;

import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the client does with exceptions of callbacks and of its own threads: it tells of each kind
 * once, and goes on. (The client's default closes the channel.) What has died is found and replaced
 * by the {@link Reconciler}, so this one decides nothing.
 */
final class CallbackErrors extends ForgivingExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(CallbackErrors.class);

  private final Set<Class<?>> told = ConcurrentHashMap.newKeySet();

  @Override
  protected void log(String message, Throwable error) {
    // a connection that breaks is everyday, and the reconciler names the reason
    if (error instanceof java.io.IOException || !told.add(error.getClass())) {
      log.debug("RabbitMQ client: {}: {}", OneLine.of(message), OneLine.of(error.toString()));
    } else {
      log.error("RabbitMQ client: {}", OneLine.of(message), error);
    }
  }
}
