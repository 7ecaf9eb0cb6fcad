package dev.semel.checker;

/**
 * What a process writes down about a message. When an event is to be recorded is part of its
 * meaning: the judge relies on it.
 */
public enum Event {
  /**
   * The broker has confirmed one copy of the message; recorded by the producer, once for each
   * confirmed copy.
   */
  PUBLISHED,

  /** The handler's body was entered; recorded as its first act, before any effect. */
  ENTERED,

  /**
   * The transaction that holds the effect has committed; recorded after the commit and before the
   * acknowledgement, and never for a duplicate.
   */
  COMMITTED,

  /**
   * The transaction that parks the message has committed; recorded like {@link #COMMITTED}. A
   * parked message may be acknowledged, run later and leave the table of parked messages, and then
   * only this event tells it from one that was acknowledged too early.
   */
  PARKED,

  /**
   * One copy of the message was acknowledged; recorded beside the call, by the thread that makes
   * it, and once for each copy that a multiple acknowledgement covers.
   */
  ACKNOWLEDGED,

  /**
   * A commit, of an effect or of a parked message, ended without an answer: it may or may not have
   * happened.
   */
  UNKNOWN
}
