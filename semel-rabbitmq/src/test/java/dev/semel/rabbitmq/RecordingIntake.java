package dev.semel.rabbitmq;

import dev.semel.spi.Delivery;
import dev.semel.spi.Intake;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An engine that does nothing but remember. */
final class RecordingIntake implements Intake {

  static final Duration LIMIT = Duration.ofSeconds(20);

  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private final List<String> events = new CopyOnWriteArrayList<>();

  @Override
  public void received(Delivery delivery) {
    deliveries.add(delivery);
  }

  @Override
  public void subscribed() {
    events.add("subscribed");
  }

  @Override
  public void lost(String reason) {
    events.add("lost: " + reason);
  }

  List<Delivery> deliveries() {
    return deliveries;
  }

  /** "subscribed" and "lost: reason", in the order in which they were told. */
  List<String> events() {
    return events;
  }

  void awaitEvents(int count) {
    Await.until(count + " events, told so far " + events, LIMIT, () -> events.size() >= count);
  }

  List<Delivery> awaitDeliveries(int count) {
    Await.until(count + " deliveries", LIMIT, () -> deliveries.size() >= count);
    return List.copyOf(deliveries);
  }

  Delivery last() {
    return deliveries.get(deliveries.size() - 1);
  }

  static List<String> ids(List<? extends Delivery> deliveries) {
    return deliveries.stream().map(each -> String.valueOf(each.message().id())).toList();
  }
}
