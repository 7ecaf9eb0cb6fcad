package dev.semel;

/** The claim of one message in a transaction of the caller; see {@link Inbox#claim}. */
public interface Claim {

  /**
   * Whether the caller is to apply the message now.
   *
   * @return true if the key was new
   */
  boolean isNew();

  /**
   * What is known of the message before the caller's commit: {@link Outcome.Applied} stands for
   * "new, will be applied by this transaction".
   *
   * <p>{@link Outcome.Conflict}, {@link Outcome.TooOld} and a message without a usable key have
   * been parked in the caller's transaction, so they are settled by its commit.
   *
   * @return the outcome, if the transaction commits
   */
  Outcome outcome();

  /**
   * To be called as the last thing before the commit: checks that the transaction is healthy and
   * still the one that holds the key. Does nothing if the key was not new.
   *
   * @throws TransactionMisuseException if an error was swallowed, or the transaction was ended in
   *     between; roll back
   */
  void verify();
}
