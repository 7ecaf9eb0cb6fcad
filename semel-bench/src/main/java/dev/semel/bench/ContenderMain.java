package dev.semel.bench;

/** The JVM of one contender: does its assignment and prints what it has measured. */
final class ContenderMain {

  private ContenderMain() {}

  public static void main(String[] args) {
    try {
      Assignment assignment = Assignment.fromEnvironment();
      Meter meter = new Meter(assignment.messages());
      assignment.way().consuming().run(assignment, meter);
      System.out.println(meter.measured().line());
      System.exit(0);
    } catch (Throwable t) {
      t.printStackTrace();
      System.exit(1);
    }
  }
}
