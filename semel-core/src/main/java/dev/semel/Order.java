package dev.semel;

/**
 * Who does something by hand, and why; written into the table {@code audit} with each row that is
 * touched.
 *
 * @param who a person or a script; not blank
 * @param reason why; not blank
 * @param dryRun whether nothing is to be changed, only said what would be
 */
public record Order(String who, String reason, boolean dryRun) {

  /**
   * Checks the values.
   *
   * @param who see the record
   * @param reason see the record
   * @param dryRun see the record
   * @throws ConfigurationException if who or reason is blank
   */
  public Order {
    if (who.isBlank()) {
      throw new ConfigurationException("who is blank; the audit needs a name");
    }
    if (reason.isBlank()) {
      throw new ConfigurationException("the reason is blank; say why, for the audit");
    }
  }

  /**
   * An order that is carried out.
   *
   * @param who a person or a script
   * @param reason why
   * @return the order
   */
  public static Order by(String who, String reason) {
    return new Order(who, reason, false);
  }
}
