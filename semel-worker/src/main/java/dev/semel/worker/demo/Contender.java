package dev.semel.worker.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The three workers. */
enum Contender {
  ACK_FIRST("ack first", "ackFirst", "ack_first"),
  NAIVE("ack after", "naive", "naive"),
  SEMEL("Semel", "semel", "semel");

  private final String title;
  private final String json;
  private final String id;

  Contender(String title, String json, String id) {
    this.title = title;
    this.json = json;
    this.id = id;
  }

  String title() {
    return title;
  }

  String json() {
    return json;
  }

  /** A name for queue, table and consumer. */
  String id() {
    return id;
  }

  /**
   * The kills, in an order of the seed: half of them inside a handler, half between commit and
   * acknowledgement. A worker that acknowledges first has no such moment.
   */
  List<Kill> kills(Plan plan) {
    List<Moment> moments = new ArrayList<>();
    for (int i = 0; i < plan.kills(); i++) {
      moments.add(
          this == ACK_FIRST || i % 2 == 1
              ? Moment.INSIDE_HANDLER
              : Moment.BETWEEN_COMMIT_AND_ACKNOWLEDGEMENT);
    }
    Random random = new Random(plan.seed() * 31 + ordinal());
    Collections.shuffle(moments, random);
    // a life must end before the payments do, also when a whole batch follows the planned one
    int latest = plan.messagesPerLife() / 2;
    return moments.stream().map(each -> new Kill(each, 1 + random.nextInt(latest))).toList();
  }
}
