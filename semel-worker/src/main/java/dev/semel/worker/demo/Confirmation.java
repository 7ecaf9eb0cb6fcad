package dev.semel.worker.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.semel.Outgoing;
import java.io.IOException;

/** The event that tells others of a payment. */
final class Confirmation {

  static final String TYPE = "payment.confirmed";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PAYMENT = "payment";

  private Confirmation() {}

  static String body(String payment) {
    return JsonNodeFactory.instance.objectNode().put(PAYMENT, payment).toString();
  }

  /** To be sent to a queue. */
  static Outgoing of(String payment, String queue) {
    return Outgoing.to("", queue)
        .type(TYPE)
        .contentType("application/json")
        .body(body(payment))
        .build();
  }

  /** The payment that it tells of; empty, which no payment is called, if it is no such event. */
  static String payment(Arrival event) {
    try {
      JsonNode body = JSON.readTree(event.body());
      return event.type().equals(TYPE) ? body.path(PAYMENT).asText("") : "";
    } catch (IOException e) {
      // no JSON: not one of ours
      return "";
    }
  }
}
