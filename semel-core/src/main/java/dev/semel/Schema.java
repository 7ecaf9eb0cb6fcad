package dev.semel;

import java.util.List;

/**
 * The tables of Semel, all in one database schema of their own. Needs the owner's rights, except
 * for {@link #problems()}.
 */
public interface Schema {

  /**
   * The numbered scripts that make the tables, as plain SQL for the reader's own migration tool.
   *
   * @return the SQL; running it whole is what {@link #apply()} does
   */
  String sql();

  /**
   * The rights that a runtime role needs, as plain SQL: USAGE, SELECT, INSERT, UPDATE, DELETE,
   * EXECUTE, and nothing else.
   *
   * @param role the name of the role
   * @return the SQL
   */
  String grants(String role);

  /**
   * Applies the scripts that are missing, under an advisory lock, so that two processes may start
   * at once. Never drops or changes what is there.
   *
   * @return the numbers of the scripts that were applied now
   * @throws ConfigurationException if the rights are missing, or the schema is newer than this
   *     library
   * @throws UnavailableException if the database cannot be reached
   */
  List<Integer> apply();

  /**
   * What is wrong with the tables.
   *
   * @return one line for each problem with its remedy; empty if all is well
   * @throws UnavailableException if the database cannot be reached
   */
  List<String> problems();

  /**
   * Says what this database is after it was restored, copied or moved from another cluster; until
   * then workers refuse to start. Audited.
   *
   * @param how whether it replaces the original or stands beside it
   * @param who the person, for the audit
   * @param reason why, for the audit
   * @throws ConfigurationException if there is nothing to adopt
   * @throws UnavailableException if the database cannot be reached
   */
  void adopt(Adoption how, String who, String reason);

  /**
   * Takes over the keys of a hand-written table, in batches, each in its own transaction.
   * Repeatable: keys that are there already are left alone. An imported key has an empty
   * fingerprint: every message that has the key is its duplicate. Audited.
   *
   * @param from what to read
   * @param who the person, for the audit
   * @return keys that were new
   * @throws ConfigurationException if the table or a column does not exist
   * @throws UnavailableException if the database cannot be reached
   */
  long importKeys(Import from, String who);

  /** What a database is after it turned up in another cluster. */
  enum Adoption {
    /** It took the original's place: the installation id stays. */
    MOVED,
    /** The original goes on elsewhere: this one gets a new installation id. */
    COPIED
  }

  /**
   * A hand-written table of processed keys.
   *
   * @param table its name, with a schema ({@code public.processed_messages})
   * @param idColumn the column of the key; NULL and blank ones are left out
   * @param consumer the consumer to whom the keys belong
   * @param atColumn the column of the time; null if there is none
   */
  record Import(
      String table,
      String idColumn,
      String consumer,
      @org.jspecify.annotations.Nullable String atColumn) {}
}
