package dev.semel.checker;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keys, each with the number of times that it was seen: effects, parked messages, copies in a
 * queue. Immutable.
 */
public final class Tally {
  private final Map<String, Integer> counts;
  private final long total;

  private Tally(Map<String, Integer> counts) {
    this.counts = Collections.unmodifiableMap(counts);
    this.total = counts.values().stream().mapToLong(Integer::longValue).sum();
  }

  /**
   * Nothing.
   *
   * @return a tally without keys
   */
  public static Tally none() {
    return of(List.of());
  }

  /**
   * Counts keys.
   *
   * @param keys the keys; one that stands there twice counts two
   * @return their tally
   */
  public static Tally of(Collection<String> keys) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    keys.forEach(key -> counts.merge(key, 1, Integer::sum));
    return new Tally(counts);
  }

  /**
   * Counts the rows of a query, such as {@code select k from effects}. Effects must be counted in a
   * table <b>without</b> a unique key: with one, the table and not the system under test would
   * prevent the second effect, and nothing could ever be doubled.
   *
   * @param connection where to ask; it is neither committed nor closed
   * @param query one column, the key; each row counts one
   * @return the tally of the rows
   * @throws SQLException if the database refuses
   * @throws IllegalArgumentException if the query has other columns, or a key is NULL
   */
  public static Tally read(Connection connection, String query) throws SQLException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet rows = statement.executeQuery()) {
      if (rows.getMetaData().getColumnCount() != 1) {
        throw new IllegalArgumentException("Select one column, the key: " + query);
      }
      while (rows.next()) {
        String key = rows.getString(1);
        if (key == null) {
          throw new IllegalArgumentException(
              "A row without a key cannot be judged; select what the test knows it by: " + query);
        }
        counts.merge(key, 1, Integer::sum);
      }
    }
    return new Tally(counts);
  }

  /**
   * How often a key was seen.
   *
   * @param key the key
   * @return its number; 0 if it was not seen
   */
  public int count(String key) {
    return counts.getOrDefault(key, 0);
  }

  /**
   * The distinct keys.
   *
   * @return the keys, in the order in which they were first seen
   */
  public Set<String> keys() {
    return counts.keySet();
  }

  /**
   * The keys that were seen more than once.
   *
   * @return the keys, in the order in which they were first seen
   */
  public List<String> repeated() {
    return counts.keySet().stream().filter(key -> count(key) > 1).toList();
  }

  /**
   * The sum over all keys.
   *
   * @return the number of sightings
   */
  public long total() {
    return total;
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
