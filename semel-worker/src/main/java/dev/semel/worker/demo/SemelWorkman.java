package dev.semel.worker.demo;

import dev.semel.Consumer;
import dev.semel.Listener;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Source;
import dev.semel.Tx;
import dev.semel.Worker;
import dev.semel.engine.Engine;
import dev.semel.spi.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * Semel: the key of the message is committed with its effect, so a message that comes again is
 * recognised. So is the event that tells of it, which leaves after the commit.
 */
final class SemelWorkman implements Workman {

  /** Enough to show that lanes do not get in each other's way, whatever the machine. */
  static final int LANES = 2;

  private final Assignment assignment;
  private final Source source;
  private final DataSource database;
  private final Charge charge;
  private final Witness witness;

  /** What each lane has written in its transaction. */
  private final ThreadLocal<List<String>> written = ThreadLocal.withInitial(ArrayList::new);

  SemelWorkman(
      Assignment assignment, Source source, DataSource database, Charge charge, Witness witness) {
    this.assignment = assignment;
    this.source = source;
    this.database = database;
    this.charge = charge;
    this.witness = witness;
  }

  @Override
  public void run(ParentWatch parent) throws Exception {
    Semel.Builder builder =
        Semel.builder(database)
            .schema(assignment.schema())
            .lanes(LANES)
            .batch(assignment.batch())
            .listener(new Settlements());
    WorkerProcess.relaying(builder);
    if (assignment.oneAtATime()) {
      builder.oneAtATime();
    }
    Semel semel = Engine.of(builder.settings(), this::reached);
    Consumer payments =
        Consumer.named(assignment.contender().id()).source(source).handler(this::handle).build();
    Worker worker = semel.start(payments);
    try {
      parent.awaitStop();
    } finally {
      worker.close();
    }
  }

  private void handle(Message message, Tx tx) throws Exception {
    String payment = String.valueOf(message.id());
    witness.entered(payment);
    charge.write(tx.connection(), payment, message.body());
    tx.send(Confirmation.of(payment, assignment.events()));
    written.get().add(payment);
    witness.insideHandler(payment);
  }

  private void reached(Step step) {
    if (step == Step.LOCKED) {
      written.get().clear();
    } else if (step == Step.COMMITTED) {
      List<String> committed = List.copyOf(written.get());
      written.get().clear();
      witness.committed(committed);
    }
  }

  /** Writes down what was acknowledged. */
  private final class Settlements implements Listener {
    @Override
    public void settled(Settled settled) {
      witness.acknowledged(
          String.valueOf(settled.messageKey()),
          settled.outcome().getClass().getSimpleName().toLowerCase(Locale.ROOT));
    }
  }
}
