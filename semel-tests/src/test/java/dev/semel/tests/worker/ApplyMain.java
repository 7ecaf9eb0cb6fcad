package dev.semel.tests.worker;

import dev.semel.Semel;
import org.postgresql.ds.PGSimpleDataSource;

/** A process that applies the schema, as a starting service does; says which scripts it ran. */
public final class ApplyMain {

  private ApplyMain() {}

  public static void main(String[] args) {
    PGSimpleDataSource owner = new PGSimpleDataSource();
    owner.setUrl(args[0]);
    owner.setUser(args[1]);
    owner.setPassword(args[2]);
    System.out.println("APPLIED " + Semel.builder(owner).schema(args[3]).build().schema().apply());
  }
}
