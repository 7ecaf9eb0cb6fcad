package dev.semel.worker.demo;

import java.io.PrintWriter;
import java.util.Locale;

/** Bars on standard error while it runs, if that is a terminal; else just the seed. */
public final class Progress {

  private static final int WIDTH = 30;
  private static final String ERASE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;

  /**
   * A place for bars.
   *
   * @param out where they are drawn
   * @param terminal whether a line there can be drawn over
   */
  public Progress(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line that stays, terminal or not. */
  void say(String text) {
    clear();
    out.println(text);
    out.flush();
  }

  void note(String text) {
    if (terminal) {
      out.print(ERASE + text);
      out.flush();
    }
  }

  void bar(Contender contender, int done, int total, int kills) {
    if (terminal) {
      int filled = total == 0 ? 0 : Math.max(0, Math.min(WIDTH, WIDTH * done / total));
      note(
          String.format(
              Locale.ROOT,
              "%-9s [%s%s] %d/%d, killed %d times",
              contender.title(),
              "#".repeat(filled),
              ".".repeat(WIDTH - filled),
              done,
              total,
              kills));
    }
  }

  /** Erases what was drawn. */
  void clear() {
    note("");
  }
}
