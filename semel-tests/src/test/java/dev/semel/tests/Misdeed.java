package dev.semel.tests;

import java.util.List;

/**
 * What handlers do to the transaction that they were lent, as orders of the test handler (which has
 * inserted its effect before it obeys).
 *
 * @param name part of the message's key
 * @param orders one per line
 * @param reason like what the message is parked with; empty if it is to be applied
 */
record Misdeed(String name, String orders, String reason) {

  private static final String ENDED = "handler ended the transaction%";
  private static final String FORCED = "handler forced deferred constraints%";

  /** After these nothing of the handler may be left, and the message never runs by itself again. */
  static final List<Misdeed> ENDING =
      List.of(
          new Misdeed("commit", "sql COMMIT", ENDED),
          new Misdeed("commit-chain", "sql COMMIT AND CHAIN", ENDED),
          new Misdeed("commit-swallowed", "swallow COMMIT\nsql " + late("commit-swallowed"), ENDED),
          new Misdeed(
              "rollback-begin", "sql ROLLBACK; BEGIN\nsql " + late("rollback-begin"), ENDED),
          new Misdeed("rollback-insert", "sql ROLLBACK\nsql " + late("rollback-insert"), ENDED),
          new Misdeed("constraints", "sql SET CONSTRAINTS ALL IMMEDIATE", FORCED),
          new Misdeed("raw-commit", "raw-commit", ENDED),
          new Misdeed("prepare", "sql PREPARE TRANSACTION 'semel-test'", ENDED));

  /** After these the message is applied like any other, and so are those after it. */
  static final List<Misdeed> HARMLESS =
      List.of(
          new Misdeed("search-path", "sql SET search_path TO hostile, public", ""),
          new Misdeed("search-path-local", "sql SET LOCAL search_path TO hostile", ""),
          new Misdeed("role-and-back", "sql SET ROLE pg_signal_backend\nsql RESET ROLE", ""),
          new Misdeed("role", "sql SET ROLE pg_signal_backend", ""),
          new Misdeed("savepoint", "sql SAVEPOINT s\nswallow SELECT 1/0\nsql ROLLBACK TO s", ""));

  private static String late(String name) {
    return "INSERT INTO public.effects (k, note) VALUES ('late-" + name + "', 'late')";
  }

  @Override
  public String toString() {
    return name;
  }
}
