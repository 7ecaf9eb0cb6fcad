package dev.semel.engine;

import dev.semel.BadOutgoingException;
import dev.semel.Message;
import dev.semel.Outgoing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What the handlers of one transaction send, until it is written. Safe for use by many threads, of
 * which a handler may have some.
 */
final class Promises {

  /** For the other side to go on with the trace of the message that is handled. */
  private static final List<String> TRACE = List.of("traceparent", "tracestate");

  private static final String KIND = "outbox";

  private final UUID installation;
  private final String consumer;
  private final List<OutboxMessages.New> messages = new ArrayList<>();
  private final Map<Entry, Integer> unnamed = new HashMap<>();
  private final Set<UUID> ids = new HashSet<>();

  Promises(UUID installation, String consumer) {
    this.installation = installation;
    this.consumer = consumer;
  }

  synchronized UUID add(Entry cause, Outgoing message) {
    String name =
        message.name() != null
            ? "name:" + message.name()
            : "position:" + unnamed.merge(cause, 1, Integer::sum);
    UUID id = Ids.derived(installation, consumer, cause.key, KIND, name);
    if (!ids.add(id)) {
      throw new BadOutgoingException(
          "the name '" + message.name() + "' is used twice for one message; ids are made of names");
    }
    messages.add(OutboxMessages.New.of(id, null, message, headers(cause.message, message)));
    return id;
  }

  private static Map<String, Object> headers(Message cause, Outgoing message) {
    if (message.headers().containsKey(TRACE.get(0)) || !cause.headers().containsKey(TRACE.get(0))) {
      return message.headers();
    }
    Map<String, Object> headers = new LinkedHashMap<>(message.headers());
    for (String name : TRACE) {
      String value = cause.headerText(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    return headers;
  }

  synchronized List<OutboxMessages.New> messages() {
    return List.copyOf(messages);
  }
}
