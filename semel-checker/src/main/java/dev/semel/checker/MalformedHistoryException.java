package dev.semel.checker;

import java.io.IOException;

/**
 * A history file holds a line that no recorder writes; a judgement on what is left would be worth
 * nothing.
 */
public final class MalformedHistoryException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The name of the file. */
  private final String file;

  /** The number of the line, from 1. */
  private final long line;

  MalformedHistoryException(String file, long line, Exception cause) {
    super(file + ", line " + line + ": " + cause.getMessage(), cause);
    this.file = file;
    this.line = line;
  }

  /**
   * The file with the line.
   *
   * @return the name of the file
   */
  public String file() {
    return file;
  }

  /**
   * The place of the line.
   *
   * @return its number, from 1
   */
  public long line() {
    return line;
  }
}
