package dev.semel.engine;

import dev.semel.Listener;
import dev.semel.Listener.Outage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is away now: one WARN at its begin, one INFO at its end, and the listener told of both. */
final class Outages {

  private static final Logger LOG = LoggerFactory.getLogger("dev.semel");

  private final Telling telling;
  private final Map<Outage, Long> since = new LinkedHashMap<>();

  Outages(Listener listener) {
    this.telling = new Telling(listener);
  }

  void began(Outage.Kind kind, String name, String reason) {
    Outage outage = new Outage(kind, name, reason);
    synchronized (this) {
      if (find(kind, name) != null) {
        return;
      }
      since.put(outage, System.nanoTime());
    }
    LOG.warn("{} '{}' is away: {}", kind.name().toLowerCase(java.util.Locale.ROOT), name, reason);
    telling.tell(l -> l.outageBegan(outage));
  }

  void ended(Outage.Kind kind, String name) {
    Outage outage;
    Duration lasted;
    synchronized (this) {
      outage = find(kind, name);
      if (outage == null) {
        return;
      }
      lasted = Duration.ofNanos(System.nanoTime() - since.remove(outage));
    }
    LOG.info(
        "{} '{}' is back after {} ms",
        kind.name().toLowerCase(java.util.Locale.ROOT),
        name,
        lasted.toMillis());
    telling.tell(l -> l.outageEnded(outage, lasted));
  }

  synchronized List<String> reasons() {
    return since.keySet().stream()
        .map(
            o ->
                o.kind().name().toLowerCase(java.util.Locale.ROOT)
                    + " '"
                    + o.name()
                    + "': "
                    + o.reason())
        .toList();
  }

  private Outage find(Outage.Kind kind, String name) {
    return since.keySet().stream()
        .filter(o -> o.kind() == kind && o.name().equals(name))
        .findFirst()
        .orElse(null);
  }
}
