package dev.semel.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import org.jspecify.annotations.Nullable;

/**
 * The unprivileged account under which PostgreSQL runs when this JVM runs as root: PostgreSQL
 * refuses root.
 */
record Account(UserPrincipal user, GroupPrincipal group) {

  private static final String[][] CANDIDATES = {
    {"nobody", "nogroup"}, {"nobody", "nobody"}, {"daemon", "daemon"}
  };

  /**
   * The account to change to, or null when this JVM is not root and its servers run as whoever it
   * is.
   */
  static @Nullable Account forServers(Path madeByUs) throws IOException {
    if (((Number) Files.getAttribute(madeByUs, "unix:uid")).intValue() != 0) {
      return null;
    }
    UserPrincipalLookupService names = madeByUs.getFileSystem().getUserPrincipalLookupService();
    for (String[] candidate : CANDIDATES) {
      try {
        return new Account(
            names.lookupPrincipalByName(candidate[0]),
            names.lookupPrincipalByGroupName(candidate[1]));
      } catch (IOException e) {
        // this machine does not know the account: try the next
        continue;
      }
    }
    throw new IllegalStateException(
        "tests run as root, PostgreSQL refuses root, and neither user nobody nor daemon exists here; run the tests as an ordinary user");
  }

  void own(Path path) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    view.setOwner(user);
    view.setGroup(group);
  }

  /** Fails early, and names the directory, when this account could not even reach the path. */
  void requireReachable(Path path) throws IOException {
    for (Path at = path.toRealPath(); at != null; at = at.getParent()) {
      boolean open =
          Files.getPosixFilePermissions(at).contains(PosixFilePermission.OTHERS_EXECUTE)
              || Files.getOwner(at).equals(user);
      if (!open) {
        throw new IOException(
            "PostgreSQL runs as user "
                + user.getName()
                + " because the tests run as root, but that user may not enter "
                + at
                + "; choose a directory below one that all may enter (chmod a+x), for example with -Djava.io.tmpdir");
      }
    }
  }
}
