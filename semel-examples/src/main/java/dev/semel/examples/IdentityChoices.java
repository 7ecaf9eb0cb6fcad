package dev.semel.examples;

import dev.semel.Consumer;
import dev.semel.Fingerprint;
import dev.semel.Identity;
import dev.semel.Message;

/** The four answers to "what makes two deliveries the same message", and the fingerprints. */
public final class IdentityChoices {

  private IdentityChoices() {}

  static Consumer byMessageId() {
    // tag::message-id
    return Consumer.named("payments").identity(Identity.messageId()).build();
    // end::message-id
  }

  static Consumer byHeader() {
    // tag::header
    return Consumer.named("payments").identity(Identity.header("event-id")).build();
    // end::header
  }

  // tag::key
  static Consumer byOrder() {
    return Consumer.named("payments")
        .identity(Identity.key(IdentityChoices::orderAndOperation))
        .build();
  }

  /** Null where a part is missing: half a key would be the same for many messages. */
  static String orderAndOperation(Message message) {
    String order = message.headerText("order-id");
    String operation = message.type();
    return order == null || operation == null ? null : order + "/" + operation;
  }

  // end::key

  static Consumer byBody() {
    // tag::body-hash
    return Consumer.named("readings").identity(Identity.bodyHashAsLastResort()).build();
    // end::body-hash
  }

  static Consumer comparingAmounts() {
    // tag::fingerprint
    return Consumer.named("payments")
        .identity(Identity.key(IdentityChoices::orderAndOperation))
        .fingerprint(Fingerprint.of(message -> message.headerText("amount")))
        .build();
    // end::fingerprint
  }
}
