package dev.semel.testkit;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds COMMIT in what one client sends: as a simple query, or by following which prepared
 * statement and which portal stand for it. A driver prepares COMMIT once and from then on sends
 * only names.
 */
final class CommitFinder {

  private static final Pattern COMMIT =
      Pattern.compile(
          "\\s*(COMMIT|END)(\\s+(WORK|TRANSACTION))?(\\s+AND\\s+(NO\\s+)?CHAIN)?\\s*",
          Pattern.CASE_INSENSITIVE);
  private static final int LONGEST = 10_000;

  private final Set<String> statements = new HashSet<>();
  private final Set<String> portals = new HashSet<>();

  /** Takes note of a message of the client; true when it makes the server commit. */
  boolean isCommit(int type, byte[] body) {
    switch (type) {
      case 'Q':
        return holdsCommit(text(body, 0));
      case 'P':
        String name = text(body, 0);
        note(statements, name, holdsCommit(text(body, end(body, 0) + 1)));
        return false;
      case 'B':
        String portal = text(body, 0);
        note(portals, portal, statements.contains(text(body, end(body, 0) + 1)));
        return false;
      case 'C':
        (body[0] == 'S' ? statements : portals).remove(text(body, 1));
        return false;
      case 'E':
        return portals.contains(text(body, 0));
      default:
        return false;
    }
  }

  /** Whether a message of the server says that it has committed. */
  static boolean isCommitted(int type, byte[] body) {
    return type == 'C' && text(body, 0).equals("COMMIT");
  }

  /** Whether a message of the server says that the transaction did not commit. */
  static boolean isNotCommitted(int type, byte[] body) {
    return type == 'E' || type == 'C' && text(body, 0).equals("ROLLBACK");
  }

  private static boolean holdsCommit(String sql) {
    if (sql.length() > LONGEST) {
      return false;
    }
    for (String statement : sql.split(";")) {
      if (COMMIT.matcher(statement).matches()) {
        return true;
      }
    }
    return false;
  }

  private static void note(Set<String> names, String name, boolean isCommit) {
    if (isCommit) {
      names.add(name);
    } else {
      names.remove(name);
    }
  }

  private static String text(byte[] body, int from) {
    return new String(body, from, end(body, from) - from, StandardCharsets.UTF_8);
  }

  private static int end(byte[] body, int from) {
    int at = from;
    while (body[at] != 0) {
      at++;
    }
    return at;
  }
}
