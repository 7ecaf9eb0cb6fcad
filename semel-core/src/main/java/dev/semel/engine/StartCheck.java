package dev.semel.engine;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One row of the list of checks that a worker makes before it takes a message.
 *
 * @param id a short name, for accepting and for reports
 * @param question looks, and gives what is wrong, or null
 * @param remedy what to do about it
 */
record StartCheck(String id, Question question, String remedy) {

  /** Looks at the database. */
  @FunctionalInterface
  interface Question {
    @Nullable String problem(Connection connection) throws SQLException;
  }

  /** One line for a person, or null if all is well. */
  @Nullable String failure(Connection connection) throws SQLException {
    String problem = question.problem(connection);
    return problem == null ? null : id + ": " + problem + "; " + remedy;
  }
}
