package dev.semel.worker.demo;

import dev.semel.Semel;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes the demo's tables, two schemas of their own: Semel's, and that of the effects. */
record Tables(String semel, String effects) {

  String effectsOf(Contender contender) {
    return effects + ".effects_" + contender.id();
  }

  /** Makes both as the owner, and lets the runtime role work there, if it is another. */
  void make(DataSource owner, @Nullable String runtime) throws SQLException {
    var schema = Semel.builder(owner).schema(semel).build().schema();
    schema.apply();
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create schema " + effects);
      for (Contender each : Contender.values()) {
        statement.execute(
            "create table "
                + effectsOf(each)
                + "(payment text not null, cents int not null, at timestamptz not null default now())");
      }
      if (runtime != null) {
        statement.execute(schema.grants(runtime));
        statement.execute("grant usage on schema " + effects + " to " + runtime);
        statement.execute("grant insert on all tables in schema " + effects + " to " + runtime);
      }
    }
  }

  void drop(DataSource owner) throws SQLException {
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop schema if exists " + effects + " cascade");
      statement.execute("drop schema if exists " + semel + " cascade");
    }
  }
}
