package dev.semel.bench;

/** The JVM of one contender: does its assignment and prints how long it took. */
final class ContenderMain {

  static final String RESULT = "RESULT nanos=";

  private ContenderMain() {}

  public static void main(String[] args) {
    try {
      Assignment assignment = Assignment.fromEnvironment();
      Meter meter = new Meter(assignment.messages());
      assignment.contender().consuming().run(assignment, meter);
      System.out.println(RESULT + meter.nanos());
      System.exit(0);
    } catch (Throwable t) {
      t.printStackTrace();
      System.exit(1);
    }
  }
}
