package dev.semel.engine;

/** The accounts of the books: how a parked message came and went. */
final class Books {

  static final String PARKED = "parked";
  static final String APPLIED = "applied";
  static final String DUPLICATE = "duplicate";
  static final String DISCARDED = "discarded";

  private Books() {}
}
