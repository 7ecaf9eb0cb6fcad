package dev.semel.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The texts are those of RabbitMQ 3.10.8, 4.0.5 and 4.3.6. */
class InequivalenceTest {

  private static final String START = "PRECONDITION_FAILED - inequivalent arg ";

  private static Inequivalence of(String rest) {
    return Inequivalence.of(START + rest);
  }

  @Test
  void whatTheQueueHasBesideNothing() {
    String where = "' for queue 'q' in vhost '/': received none but current is the value ";
    assertThat(of("'x-dead-letter-exchange" + where + "'dlx' of type 'longstr'"))
        .isEqualTo(new Inequivalence("x-dead-letter-exchange", "dlx", false));
    assertThat(of("'x-single-active-consumer" + where + "'true' of type 'bool'"))
        .isEqualTo(new Inequivalence("x-single-active-consumer", true, false));
    for (String type : new String[] {"byte", "short", "signedint", "long"}) {
      assertThat(of("'x-delivery-limit" + where + "'-1' of type '" + type + "'"))
          .isEqualTo(new Inequivalence("x-delivery-limit", -1L, false));
    }
    assertThat(of("'x-odd" + where + "'1.5' of type 'double'"))
        .isEqualTo(new Inequivalence("x-odd", null, false));
  }

  @Test
  void whatTheQueueHasBesideSomething() {
    String where = "' for queue 'q' in vhost '/': received ";
    assertThat(of("'durable" + where + "'true' but current is 'false'"))
        .isEqualTo(new Inequivalence("durable", false, false));
    assertThat(of("'x-queue-type" + where + "'classic' but current is 'quorum'"))
        .isEqualTo(new Inequivalence("x-queue-type", "quorum", false));
    assertThat(of("'x-expires" + where + "'' but current is '60000'"))
        .isEqualTo(new Inequivalence("x-expires", 60_000L, false));
    assertThat(of("'x-max-age" + where + "the value '0' of type 'signedint' but current is none"))
        .isEqualTo(new Inequivalence("x-max-age", null, false));
  }

  @Test
  void namesThatLookLikeTheText() {
    assertThat(
            of(
                "'x-dead-letter-exchange' for queue 'it's: received 'a' ü' in vhost '/': received"
                    + " none but current is the value 'it's ü  'x'' of type 'longstr'"))
        .isEqualTo(new Inequivalence("x-dead-letter-exchange", "it's ü  'x'", false));
  }

  @Test
  void whatWasCut() {
    assertThat(of("'x-expires' for queue 'LLLLLLLLLL..."))
        .isEqualTo(new Inequivalence("x-expires", null, true));
    assertThat(of("'x-expires' for queue 'q' in vhost '/': received none but current is the va..."))
        .isEqualTo(new Inequivalence("x-expires", null, true));
  }

  @Test
  void otherTexts() {
    assertThat(Inequivalence.of("PRECONDITION_FAILED - invalid arg 'x-max-age' for queue 'q'"))
        .isNull();
    assertThat(Inequivalence.of("")).isNull();
  }
}
