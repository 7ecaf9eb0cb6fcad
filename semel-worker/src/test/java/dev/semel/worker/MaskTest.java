package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MaskTest {

  private final Mask mask = new Mask();

  @Test
  void hides_what_stands_where_a_password_stands() {
    assertThat(mask.apply("jdbc:postgresql://h/d?user=me&password=p&ssl=true"))
        .isEqualTo("jdbc:postgresql://h/d?user=me&password=***&ssl=true");
    assertThat(mask.apply("amqps://me:p@h:1/v and amqp://me:a@b@h"))
        .isEqualTo("amqps://me:***@h:1/v and amqp://me:***@h");
  }

  @Test
  void hides_a_known_password_wherever_it_stands() {
    mask.hide("correct horse");

    assertThat(mask.apply("said: correct horse!")).isEqualTo("said: ***!");
  }

  @Test
  void leaves_words_alone_that_contain_a_short_password() {
    mask.hide("semel");

    assertThat(mask.apply("semel: no verb given")).isEqualTo("semel: no verb given");
  }
}
