package dev.semel.engine;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The session of one lane: opened when needed, replaced when broken, given back when idle. */
final class SessionHolder {

  /** Opens sessions. */
  @FunctionalInterface
  interface Opener {
    Session open() throws SQLException;
  }

  private final Opener opener;

  /** Volatile, for {@link #discard} by the thread that stops the worker. */
  private volatile @Nullable Session session;

  SessionHolder(Opener opener) {
    this.opener = opener;
  }

  boolean held() {
    return session != null;
  }

  Session get() throws SQLException {
    Session held = session;
    if (held == null) {
      held = opener.open();
      session = held;
    }
    return held;
  }

  /** After a failure: rolls back, or throws the session away. */
  void rollback(Throwable cause) {
    Session held = session;
    if (held != null && !held.rollback(cause)) {
      discard();
    }
  }

  void discard() {
    Session held = session;
    session = null;
    if (held != null) {
      held.discard();
    }
  }

  /** After an exception that nobody expected. */
  void discardIfHeld() {
    if (session != null) {
      discard();
    }
  }

  void release() {
    Session held = session;
    session = null;
    if (held != null) {
      held.close();
    }
  }
}
