package dev.semel.engine;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The session of one lane: opened when needed, replaced when broken, given back when idle. */
final class SessionHolder {

  /** Opens sessions. */
  @FunctionalInterface
  interface Opener {
    Session open() throws SQLException;
  }

  private final Opener opener;

  /** Atomic, since the thread that stops the worker discards too. */
  private final AtomicReference<@Nullable Session> session = new AtomicReference<>();

  SessionHolder(Opener opener) {
    this.opener = opener;
  }

  boolean held() {
    return session.get() != null;
  }

  Session get() throws SQLException {
    Session held = session.get();
    if (held == null) {
      held = opener.open();
      session.set(held);
    }
    return held;
  }

  /** After a failure: rolls back, or throws the session away. */
  void rollback(Throwable cause) {
    Session held = session.get();
    if (held != null && !held.rollback(cause)) {
      discard();
    }
  }

  /** Ends the session, if one is held. */
  void discard() {
    Session held = session.getAndSet(null);
    if (held != null) {
      held.discard();
    }
  }

  /** Gives the session back, if one is held. */
  void release() {
    Session held = session.getAndSet(null);
    if (held != null) {
      held.close();
    }
  }
}
