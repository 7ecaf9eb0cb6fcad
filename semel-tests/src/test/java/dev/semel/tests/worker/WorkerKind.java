package dev.semel.tests.worker;

/** Who applies the messages: Semel, or one of the twins that many people have written. */
public enum WorkerKind {
  /** The product. */
  SEMEL,
  /** Select the key, handle, insert the key, commit, acknowledge. */
  TWIN_A_CHECK_THEN_ACT,
  /** Insert the key and commit, then handle in a transaction of its own, then acknowledge. */
  TWIN_B_KEY_FIRST,
  /** One transaction, but any error of class 23 means "duplicate"; any other is given back. */
  TWIN_C_CLASS_23,
  /** Acknowledge, then handle. */
  TWIN_D_ACK_FIRST
}
